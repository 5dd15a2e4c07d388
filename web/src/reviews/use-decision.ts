import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { askReason, confirm, notify, notifyFault } from '../ui/index.js';

interface Decision {
  /** of the row, while its decision is under way */
  key: string;
  title: string;
  text: string;
  yes: string;
  done: string;
  /** a reason is asked for */
  needsReason: boolean;
  danger?: boolean;
  /** @param reason '' where none is asked for */
  work: (reason: string) => Promise<unknown>;
}

/** Asks before a decision of staff, carries it out, and looks again: whatever became of it, what is shown may be old. */
export function useDecision(): { busy: string | null; decide: (decision: Decision) => Promise<void> } {
  const client = useQueryClient();
  const [busy, setBusy] = useState<string | null>(null);
  const decide = async ({ key, needsReason, work, done, ...question }: Decision): Promise<void> => {
    const isDangerous = question.danger ?? needsReason;
    const reason = needsReason
      ? await askReason({ ...question, danger: isDangerous })
      : (await confirm({ ...question, danger: isDangerous }))
        ? ''
        : null;
    if (reason === null) return;
    setBusy(key);
    try {
      await work(reason);
      notify(done);
    } catch (error) {
      notifyFault(error);
    } finally {
      setBusy(null);
      await client.invalidateQueries();
    }
  };
  return { busy, decide };
}
