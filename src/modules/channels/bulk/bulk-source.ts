import { setImmediate as turn } from 'node:timers/promises';
import type { AppError, RowFault } from '../../../kernel/app-error.js';
import type { AnswerWarning } from '../../../platform/http/index.js';
import type { Variables } from '../../../kernel/message-template.js';
import type { NumberRefusal, RecipientFault, RecipientSource, SourcedRecipient } from '../../engine/index.js';
import type { NumberCheck, NumberFault } from '../../numbers/index.js';
import { personalisedErrors } from '../personalised/index.js';
import { bulkErrors } from './bulk.errors.js';

/** What is wrong with a number beside its form; null = nothing (reference/numbers#checks). */
export function refusalOf(check: NumberCheck): (number: string) => NumberRefusal | null {
  return (number) => {
    const fault = check.look(number, check.checked + 1);
    return fault && { error: bulkErrors.number(fault.reason), ...knownOf(fault) };
  };
}

const knownOf = ({ country }: NumberFault): Pick<RowFault, 'country'> => (country === null ? {} : { country });

/** Numbers that are looked up before others have their turn. */
const NUMBERS_A_TURN = 250;

/**
 * The recipients of a send with the variables that its text names: what else a file has of a recipient is not kept. Reading them
 * gathers warnings.
 */
export class BulkSource implements RecipientSource {
  private readonly named: ReadonlySet<string>;

  /**
   * @param warning looks the numbers up, where the account wants to be warned
   * @param field of the body that holds the recipients; null = an upload or a list
   */
  constructor(
    private readonly all: RecipientSource,
    private readonly names: readonly string[],
    private readonly warning: NumberCheck | null,
    private readonly field: string | null,
  ) {
    this.named = new Set(names);
  }

  get total(): number {
    return this.all.total;
  }

  /** Hints about the first hundred numbers that no numbering plan has, where the account wants to be warned. */
  get warnings(): AnswerWarning[] {
    return (this.warning?.faults ?? []).map((fault) => ({
      code: 'number_looks_wrong',
      ...(this.field === null ? { row: fault.row } : { field: this.field, index: fault.row - 1 }),
      value: fault.number,
      reason: fault.reason.replaceAll(' ', '_'),
      ...knownOf(fault),
      message: bulkErrors.number(fault.reason).message,
    }));
  }

  /** How many rows that are. */
  get warned(): number {
    return this.warning?.invalid ?? 0;
  }

  async *read(): AsyncGenerator<readonly SourcedRecipient[], void, undefined> {
    for await (const some of this.all.read()) {
      if (this.warning) await lookUp(this.warning, some);
      yield some.map((recipient) => this.picked(recipient));
    }
  }

  /** Mostly the recipient as it is: an object less for each of a hundred thousand. */
  private picked(recipient: SourcedRecipient): SourcedRecipient {
    if (!recipient.variables || this.isPicked(recipient.variables)) return recipient;
    const { variables, ...rest } = recipient;
    const picked = pick(variables, this.names);
    return picked ? { ...rest, variables: picked } : rest;
  }

  private isPicked(variables: Variables): boolean {
    for (const name in variables) if (!this.named.has(name)) return false;
    return true;
  }
}

async function lookUp(check: NumberCheck, some: readonly SourcedRecipient[]): Promise<void> {
  for (const [place, { number, row }] of some.entries()) {
    check.look(number, row);
    if (place % NUMBERS_A_TURN === 0) await turn();
  }
}

function pick(variables: Variables, names: readonly string[]): Variables | null {
  const own = names.filter((name) => Object.hasOwn(variables, name));
  return own.length === 0 ? null : Object.fromEntries(own.map((name) => [name, variables[name] as string]));
}

/** The answer to recipients at fault: what is said of all of them, and each row with what is said of it. */
export function refused(faults: readonly RecipientFault[]): AppError {
  return commonOf(faults).naming(faults.map(rowOf));
}

/** A row at fault, as clients are told of it. */
export const rowOf = ({ error: _, ...row }: RecipientFault): RowFault => row;

/** What holds of all rows. */
function commonOf(faults: readonly RecipientFault[]): AppError {
  if (faults.every(({ missing }) => missing)) return personalisedErrors.missing();
  const error = faults[0]?.error;
  if (!error || faults.some((fault) => fault.error?.code !== error.code)) return bulkErrors.refused();
  return error.code === bulkErrors.number.code ? bulkErrors.numbers() : error;
}
