// Runs before the first paint: neither a choice of colours that differs from the system's nor controls that need a script may flash.
const root = document.documentElement;
const entry = (key: string): string | null => {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage may be blocked.
    return null;
  }
};
root.dataset.script = 'on';
const chosen = entry('site-theme');
if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen;
if (entry('site-session') !== null) root.dataset.session = 'on';
