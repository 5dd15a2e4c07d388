import { useSyncExternalStore } from 'react';
import { chosenTheme, onTheme } from './theme-store.js';

export { chooseTheme, type Theme } from './theme-store.js';

/** What was chosen, and what is shown. Charts draw anew when the latter changes. */
export function useTheme() {
  const chosen = useSyncExternalStore(onTheme, chosenTheme);
  const shown = useSyncExternalStore(onTheme, () => document.documentElement.dataset['theme'] ?? 'light');
  return { chosen, isDark: shown === 'dark' };
}
