import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import type { Right } from '../app/page-definition.js';
import { useMay } from '../app/session.js';
import { notify } from './toast.js';

interface Properties extends Omit<ComponentProps<'button'>, 'disabled'> {
  kind?: 'quiet' | 'primary' | 'danger';
  icon?: LucideIcon;
  /** its work runs: it does nothing, but keeps the focus */
  busy?: boolean;
  /** it cannot be pressed now; it can be reached all the same, and its title says why: also to who presses it */
  off?: boolean;
  /** the button is there only for who has (one of) this; the API refuses all others anyway */
  needs?: Right | readonly Right[];
}

/** A button. It never loses the focus: what cannot be pressed is `aria-disabled`. */
export function Button({
  kind = 'quiet',
  icon: Icon,
  busy = false,
  off = false,
  needs,
  children,
  onClick,
  ...rest
}: Properties) {
  const may = useMay(needs);
  const isOff = busy || off;
  if (!may) return null;
  return (
    <button
      type="button"
      {...rest}
      className={`button ${kind} ${rest.className ?? ''}`.trim()}
      aria-disabled={isOff || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else onClick?.(event);
        if (off && rest.title !== undefined) notify(rest.title);
      }}
    >
      {Icon !== undefined && <Icon size={16} aria-hidden />}
      {children}
    </button>
  );
}
