import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { problemOf } from '../api/problem.js';

interface Toast {
  id: number;
  text: string;
  isFault: boolean;
}

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();
const change = (next: readonly Toast[]): void => {
  toasts = next;
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const DONE_MS = 5_000;
const FAULT_MS = 12_000;

function show(text: string, isFault: boolean): void {
  last += 1;
  const toast = { id: last, text, isFault };
  change([...toasts, toast]);
  setTimeout(() => dismiss(toast.id), isFault ? FAULT_MS : DONE_MS);
}

const dismiss = (id: number): void => change(toasts.filter((toast) => toast.id !== id));

/** Takes away what went wrong on another page. */
export const forgetFaults = (): void => change(toasts.filter(({ isFault }) => !isFault));

/** Says in the corner what came of something. */
export const notify = (text: string): void => show(text, false);

/** Says in the corner what went wrong, in the API's words. @param about what it was about */
export const notifyFault = (error: unknown, about?: string): void =>
  show(about === undefined ? problemOf(error).message : `${about}: ${problemOf(error).message}`, true);

/** Where they are shown; there is one. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  const entries = (isFault: boolean) =>
    shown
      .filter((toast) => toast.isFault === isFault)
      .map(({ id, text }) => (
        <div key={id} className={isFault ? 'toast bad' : 'toast'}>
          <span>{text}</span>
          <button type="button" className="icon" onClick={() => dismiss(id)}>
            <X size={14} aria-hidden />
            <span className="unseen">Dismiss</span>
          </button>
        </div>
      ));
  return (
    <div className="toasts">
      <div role="status">{entries(false)}</div>
      <div role="alert">{entries(true)}</div>
    </div>
  );
}
