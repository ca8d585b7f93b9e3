"""The Exactness page: why is the output still the target model's?"""
