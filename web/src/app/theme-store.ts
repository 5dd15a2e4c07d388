/** `system` follows the machine. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'switchboard.theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const dark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

const read = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system';
let theme = read();

export const chosenTheme = (): Theme => theme;

function apply(): void {
  const shown = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
  document.documentElement.dataset['theme'] = shown;
  for (const listener of listeners) listener();
}

dark.addEventListener('change', apply);
apply();

/** @returns what ends the listening */
export const onTheme = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Kept in this browser. */
export function chooseTheme(next: Theme): void {
  theme = next;
  localStorage.setItem(KEY, next);
  apply();
}
