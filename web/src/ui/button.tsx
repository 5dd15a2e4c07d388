import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { notify } from './toast.js';

interface Properties extends Omit<ComponentProps<'button'>, 'disabled'> {
  kind?: 'quiet' | 'primary' | 'danger';
  icon?: LucideIcon;
  /** its work runs: it does nothing, but keeps the focus */
  busy?: boolean;
  /** it cannot be pressed now; it can be reached all the same, and its title says why: also to who presses it */
  off?: boolean;
}

/** A button. It never loses the focus: what cannot be pressed is `aria-disabled`. */
export function Button({
  kind = 'quiet',
  icon: Icon,
  busy = false,
  off = false,
  children,
  onClick,
  ...rest
}: Properties) {
  const isOff = busy || off;
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
