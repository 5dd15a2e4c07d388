import { Monitor, Moon, Sun } from 'lucide-react';
import { chooseTheme, type Theme, useTheme } from './theme.js';

const THEMES = [
  { theme: 'system', label: 'System', icon: Monitor },
  { theme: 'light', label: 'Light', icon: Sun },
  { theme: 'dark', label: 'Dark', icon: Moon },
] as const satisfies readonly { theme: Theme; label: string; icon: typeof Sun }[];

/** Light, dark, or as the machine has it. */
export function ThemeSwitch() {
  const { chosen } = useTheme();
  return (
    <fieldset className="theme-switch">
      <legend className="unseen">Theme</legend>
      {THEMES.map(({ theme, label, icon: Icon }) => (
        <label key={theme} title={label}>
          <input
            type="radio"
            name="theme"
            value={theme}
            checked={chosen === theme}
            onChange={() => chooseTheme(theme)}
          />
          <Icon size={15} aria-hidden />
          <span className="unseen">{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
