function app() {
  return document.querySelector('[data-testid="stApp"]');
}

// "running", "notRunning", "CONNECTED"; undefined if Streamlit ever drops these attributes: then nothing is waited for.
function appState(kind) {
  return app()?.getAttribute(`data-test-${kind.toLowerCase()}-state`) ?? undefined;
}
