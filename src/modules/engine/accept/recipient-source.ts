import type { AppError, RowFault } from '../../../kernel/app-error.js';

/** A recipient as a client gave it, its number cleaned by the channel's `readRecipient`. */
export interface SourcedRecipient {
  number: string;
  /** values of the text's placeholders */
  variables?: Readonly<Record<string, string>>;
  /** sender id of its own; absent = the submission's */
  sender?: string;
  /** its place in what the client gave, 1 = the first; errors name it */
  row: number;
}

/** Recipients in their order, some thousand at a time. */
export interface RecipientSource {
  /** how many there are */
  total: number;
  read(): AsyncIterable<readonly SourcedRecipient[]>;
}

/** A recipient that makes the whole send be refused, as the answer names it. */
export interface RecipientFault extends RowFault {
  /** what the channel's `price` or `segments`, or the check of the number, says of it alone; absent where a value is missing */
  error?: AppError;
}

/** What is wrong with a number beside its form, and what is known of it. */
export interface NumberRefusal extends Pick<RowFault, 'country'> {
  error: AppError;
}

const RECIPIENTS_A_READ = 5_000;

/** Recipients that are in memory, without variables. */
export const sourceOf = (recipients: readonly string[]): RecipientSource => ({
  total: recipients.length,
  async *read() {
    for (let from = 0; from < recipients.length; from += RECIPIENTS_A_READ) {
      const some = recipients.slice(from, from + RECIPIENTS_A_READ);
      yield some.map((number, at): SourcedRecipient => ({ number, row: from + at + 1 }));
    }
  },
});
