import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Button } from './button.js';
import { TextArea } from './fields.js';

interface Properties {
  title: string;
  /** Escape, or the world around it */
  onClose: () => void;
  wide?: boolean;
  children: ReactNode;
}

/** A modal dialog of the browser's own; open as long as it is rendered. The focus goes back to where it was. */
export function Dialog({ title, onClose, wide = false, children }: Properties) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={wide ? 'wide' : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface Question {
  title: string;
  text?: ReactNode;
  /** of the button that does it, such as `Cancel the campaign` */
  yes: string;
  /** default `Back` */
  no?: string;
  /** it cannot be undone: the button is red */
  danger?: boolean;
}

/** Asks before something happens. The focus is at the safe choice. */
export function ConfirmDialog({
  question: { title, text, yes, no = 'Back', danger = true },
  onAnswer,
}: {
  question: Question;
  onAnswer: (isYes: boolean) => void;
}) {
  return (
    <Dialog title={title} onClose={() => onAnswer(false)}>
      {text !== undefined && <div className="dialog-text">{text}</div>}
      <div className="buttons end">
        <Button data-first onClick={() => onAnswer(false)}>
          {no}
        </Button>
        <Button kind={danger ? 'danger' : 'primary'} onClick={() => onAnswer(true)}>
          {yes}
        </Button>
      </div>
    </Dialog>
  );
}

/** Asks for a reason, which has to be given unless `optional`. */
export function ReasonDialog({
  question: { title, text, yes, no = 'Back', danger = true, label = 'Reason', optional = false },
  onAnswer,
}: {
  question: Question & { label?: string; optional?: boolean };
  onAnswer: (reason: string | null) => void;
}) {
  const [reason, setReason] = useState('');
  const [isFaulty, setFaulty] = useState(false);
  const give = () => {
    if (reason.trim() === '' && !optional) setFaulty(true);
    else onAnswer(reason.trim());
  };
  return (
    <Dialog title={title} onClose={() => onAnswer(null)}>
      {text !== undefined && <div className="dialog-text">{text}</div>}
      <TextArea
        label={label}
        data-first
        maxLength={512}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        error={isFaulty && reason.trim() === '' && 'A reason is needed'}
      />
      <div className="buttons end">
        <Button onClick={() => onAnswer(null)}>{no}</Button>
        <Button kind={danger ? 'danger' : 'primary'} onClick={give}>
          {yes}
        </Button>
      </div>
    </Dialog>
  );
}

/** Shows a dialog until it is answered. */
export function ask<Answer>(render: (answer: (value: Answer) => void) => ReactNode): Promise<Answer> {
  const place = document.createElement('div');
  document.body.append(place);
  const root = createRoot(place);
  return new Promise((resolve) => {
    root.render(
      render((value) => {
        root.unmount();
        place.remove();
        resolve(value);
      }),
    );
  });
}

/** `if (await confirm({ title, text, yes: 'Stop it' })) …` */
export const confirm = (question: Question): Promise<boolean> =>
  ask((answer) => <ConfirmDialog question={question} onAnswer={answer} />);

/** The reason, or null when nothing shall happen. */
export const askReason = (question: Question & { label?: string; optional?: boolean }): Promise<string | null> =>
  ask((answer) => <ReasonDialog question={question} onAnswer={answer} />);
