// Full-width digits of an input method, thousands separators, a decimal comma and the unit itself are all understood.
export function parse(typed, unit) {
  let text = typed.normalize("NFKC").replace(/[\s_]/g, "").replace("−", "-");
  const suffix = unit.normalize("NFKC").replace(/\s/g, "");
  if (suffix && text.endsWith(suffix)) text = text.slice(0, -suffix.length);
  if (/^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(text)) text = text.replaceAll(",", "");
  else if (/^[-+]?\d*,\d+$/.test(text)) text = text.replace(",", ".");
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : NaN;
}
