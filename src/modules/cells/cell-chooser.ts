import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { cellOfRequestId, isRequestId } from '../../kernel/ids.js';
import type { FrontEnvironment } from '../../platform/config/index.js';
import { networksOf } from '../../platform/security/index.js';
import { apiKeyDigest, isApiKey, looksLikeEmail, normalEmail } from '../accounts/index.js';
import { type CellName, EVERY_CELL } from '../cell-directory/index.js';
import { CellList, FRONT_ENVIRONMENT } from './cell-list.js';
import { CellLookups, Unknowable } from './cell-lookups.js';
import { refusals } from './front.errors.js';
import { bodyField, type Caller, callerOf, fieldsIn, nameOf, reportIdOf, type Target, type Way } from './ways.js';

/**
 * The cells that take new accounts, in the order in which this network is to try them: always the same for it, so that a limit
 * by address is one limit, and over many networks by the weights (rendezvous hashing).
 * @param weights empty = all take alike
 */
export function placesFor(
  network: string,
  cells: readonly string[],
  weights: ReadonlyMap<string, number>,
): readonly string[] {
  return cells
    .map((cell) => ({ cell, weight: weights.size === 0 ? 1 : (weights.get(cell) ?? 0) }))
    .filter(({ weight }) => weight > 0)
    .map(({ cell, weight }) => ({ cell, score: -weight / Math.log(lot(`${cell} ${network}`)) }))
    .sort((a, b) => b.score - a.score)
    .map(({ cell }) => cell);
}

/** Between 0 and 1, both left out. */
const lot = (text: string): number => (createHash('sha256').update(text).digest().readUIntBE(0, 6) + 1) / (2 ** 48 + 2);

/** What of a request says where it belongs. */
export interface Asked {
  target: Target;
  way: Way;
  headers: IncomingHttpHeaders;
  ip: string;
  /** read whole where the way wants it; null = there is none */
  body: Buffer | null;
}

/** Longer ones no account has. */
const LONGEST_NAME = 254;

/** Which bodies have to be read before the cell is known. */
export const wantsBody = ({ by }: Way): boolean => by === 'body' || by === 'report' || by === 'new';

/** Finds the cell of a request (reference/cells#how-a-request-finds-its-cell). */
@Injectable()
export class CellChooser {
  constructor(
    private readonly cells: CellList,
    private readonly lookups: CellLookups,
    @Inject(FRONT_ENVIRONMENT) private readonly environment: Pick<FrontEnvironment, 'NEW_ACCOUNTS'>,
  ) {}

  /**
   * The cell that the request names itself. @returns null when it names none
   * @throws Refusal for a letter that no cell has
   */
  named({ prefix }: Target, headers: IncomingHttpHeaders): string | null {
    if (prefix !== null) {
      if (!this.cells.has(prefix)) throw refusals.unknownPath();
      return prefix;
    }
    const header = headers['x-cell'];
    if (header === undefined) return null;
    if (typeof header !== 'string' || !this.cells.has(header)) throw refusals.unknownCell(this.cells.letters);
    return header;
  }

  /**
   * The cells to which it may go, in this order, each next one where the former cannot be reached: one where its account or
   * id is known, all where any will do.
   * @throws Refusal when there is none; Unknowable when that cannot be told now
   */
  async candidates(asked: Asked): Promise<string[]> {
    const { way } = asked;
    if (way.by === 'new') {
      const network = networksOf(asked.ip)[0]?.name ?? '';
      return this.cells.upFirst(placesFor(network, this.cells.letters, this.environment.NEW_ACCOUNTS));
    }
    // addresses from before the front are the first cell's, whether it can be reached or not
    if (way.by === 'first')
      return /^\/(provider|audio)\//i.test(asked.target.path) ? [this.first] : this.cells.upFirst();
    if (way.by === 'report') return this.ofReport(asked);
    const found = await this.ofAccount(asked, way);
    if (found === EVERY_CELL && way.by === 'staff') throw refusals.nameTheCell(this.cells.letters);
    if (found === EVERY_CELL) return [this.first]; // the same each time: passwords are those of a cell
    return found === null ? this.cells.upFirst() : [this.known(found)];
  }

  private get first(): string {
    return this.cells.letters[0] ?? '';
  }

  /** The directory may know of a cell that this front does not. */
  private known(cell: string): string {
    if (!this.cells.has(cell)) throw new Unknowable('a cell that is not configured');
    return cell;
  }

  private async ofAccount(asked: Asked, way: Way): Promise<string | null> {
    const name = nameOf(given(asked, way));
    if (name === '') return this.ofCaller(asked.headers);
    const login = 'login' in way && way.login;
    return login && looksLikeEmail(name)
      ? this.ofName({ kind: 'email', value: normalEmail(name) }, null)
      : this.ofUsername(name, login ? null : callerOf(asked.headers));
  }

  private async ofCaller(headers: IncomingHttpHeaders): Promise<string | null> {
    const caller = callerOf(headers);
    if (caller === null) return null;
    if ('apiKey' in caller) return isApiKey(caller.apiKey) ? this.lookups.cellOfKey(apiKeyDigest(caller.apiKey)) : null;
    return this.ofUsername(caller.username, caller);
  }

  /** Staff logs in to each cell: of a name that every cell has the token of that name says whose it is. */
  private async ofUsername(username: string, caller: Caller): Promise<string | null> {
    const value = username.toLowerCase();
    const isTheirs = caller !== null && 'username' in caller && caller.username.toLowerCase() === value;
    const signer = isTheirs && caller.signer !== null && this.cells.has(caller.signer) ? caller.signer : null;
    const found = await this.ofName({ kind: 'username', value }, signer);
    return found === EVERY_CELL ? (signer ?? EVERY_CELL) : found;
  }

  private async ofName(name: CellName, signer: string | null): Promise<string | null> {
    // of the value, since a text in lower case may be longer
    return name.value.length > LONGEST_NAME ? null : this.lookups.cellOfName(name, signer);
  }

  /** The letter's cell or the caller's first, then all others; what two others have is told to none. */
  private async ofReport({ target, headers, body }: Asked): Promise<string[]> {
    const inBody = (field: string): unknown => body && bodyField(body, headers['content-type'], field);
    const id = reportIdOf(fieldsIn(target.search), inBody);
    if (!isRequestId(id)) return this.cells.upFirst(); // no cell has it
    const letter = cellOfRequestId(id);
    const first = letter !== null && this.cells.has(letter) ? letter : await this.callersOwn(headers);
    if (first !== null) {
      const held = await this.lookups.held({ id }, [first]);
      if (held.by.length > 0) return [first];
      if (held.silent.length > 0) throw new Unknowable('the cell of the id is silent');
    }
    const others = this.cells.letters.filter((cell) => cell !== first);
    const { by, silent } = await this.lookups.held({ id }, others);
    if (by.length > 1) throw refusals.reportNotFound();
    if (silent.length > 0) throw new Unknowable('a cell that may have the id is silent');
    return by.length === 1 ? by : first === null ? this.cells.upFirst() : [first];
  }

  private async callersOwn(headers: IncomingHttpHeaders): Promise<string | null> {
    const cell = await this.ofCaller(headers);
    return cell !== null && this.cells.has(cell) ? cell : null;
  }
}

/** What stands where the way says that a name is. */
function given({ target, headers, body }: Asked, way: Way): unknown {
  if (way.by === 'query') return fieldsIn(target.search)[way.field];
  return way.by === 'body' && body ? bodyField(body, headers['content-type'], way.field) : null;
}
