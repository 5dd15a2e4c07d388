import { type RefObject, useEffect } from 'react';

const REACHED = 'a[href], button, input, select, textarea, [tabindex="0"]';
const wordOf = (element: Element): string => element.textContent.trim();

/**
 * When what has the focus goes away (a row that was decided, the next look at a list), it passes to what stands in its
 * place: the button of the same word in the next entry, else the heading. With a keyboard or a reader one goes on there,
 * and does not begin again at the top of the page.
 */
export function useKeptFocus(main: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const box = main.current;
    if (box === null) return undefined;
    let held: { element: Element; word: string; at: number } | null = null;
    const alike = (word: string) =>
      [...box.querySelectorAll<HTMLElement>(REACHED)].filter((one) => wordOf(one) === word);
    const hold = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return;
      const word = wordOf(target);
      held = { element: target, word, at: alike(word).indexOf(target) };
    };
    // one that leaves by itself, as to a dialog or to the bar, is held no more
    const release = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) held = null;
    };
    const observer = new MutationObserver(() => {
      if (held === null || held.element.isConnected || document.activeElement !== document.body) return;
      const { word, at } = held;
      held = null;
      const others = word === '' || at < 0 ? [] : alike(word);
      (others[at] ?? others.at(-1) ?? box.querySelector<HTMLElement>('h1'))?.focus({ preventScroll: true });
    });
    observer.observe(box, { childList: true, subtree: true });
    box.addEventListener('focusin', hold);
    box.addEventListener('focusout', release);
    return () => {
      observer.disconnect();
      box.removeEventListener('focusin', hold);
      box.removeEventListener('focusout', release);
    };
  }, [main]);
}
