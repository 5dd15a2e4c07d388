import type { AppError } from '../../../kernel/app-error.js';

/** A recipient as a client gave it, its number cleaned by the channel's `readRecipient`. */
export interface SourcedRecipient {
  number: string;
  /** values of the text's placeholders */
  variables?: Readonly<Record<string, string>>;
  /** its place in what the client gave, 1 = the first; errors name it */
  row: number;
}

/** Recipients in their order, some thousand at a time. Read again, it gives the same ones: nothing in it changes meanwhile. */
export interface RecipientSource {
  /** how many there are */
  total: number;
  read(): AsyncIterable<readonly SourcedRecipient[]>;
}

/** A recipient that makes the whole send be refused. */
export interface RecipientFault {
  row: number;
  number: string;
  /** what the channel's `price` or `segments`, or the check of the number, says of it alone */
  error: AppError;
}

/** Recipients at fault that an answer tells of; behind them a send is not judged any further. */
export const MOST_FAULTS = 100;
