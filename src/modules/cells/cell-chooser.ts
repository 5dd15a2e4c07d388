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
import { bodyField, type Caller, callerOf, fieldsIn, nameOf, reportIdOf, type Target, type Way } from './path-rules.js';

/** Orders the open cells for a network by weighted rendezvous hashing: stable, so that a limit per address stays one limit. */
export function cellsFor(
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

const lot = (text: string): number => (createHash('sha256').update(text).digest().readUIntBE(0, 6) + 1) / (2 ** 48 + 2);

export interface Asked {
  target: Target;
  way: Way;
  headers: IncomingHttpHeaders;
  ip: string;
  /** the whole body if `wantsBody`; null = none */
  body: Buffer | null;
}

const LONGEST_NAME = 254;

/** True if the body must be read before the cell is known. */
export const wantsBody = ({ by }: Way): boolean => by === 'body' || by === 'report' || by === 'new';

/** Finds the cell of a request (reference/cells#how-a-request-finds-its-cell). */
@Injectable()
export class CellChooser {
  constructor(
    private readonly cells: CellList,
    private readonly lookups: CellLookups,
    @Inject(FRONT_ENVIRONMENT) private readonly environment: Pick<FrontEnvironment, 'NEW_ACCOUNTS'>,
  ) {}

  /** Returns the cell the request names; null = none. @throws Refusal for an unknown letter */
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

  /** Returns cells in order of attempts, several only if any will do. @throws Refusal for none; Unknowable if unknown now */
  async candidates(asked: Asked): Promise<string[]> {
    const { way } = asked;
    if (way.by === 'new') {
      const network = networksOf(asked.ip)[0]?.name ?? '';
      return this.cells.upFirst(cellsFor(network, this.cells.letters, this.environment.NEW_ACCOUNTS));
    }
    // addresses older than the front belong to the first cell, reachable or not
    if (way.by === 'first')
      return /^\/(provider|audio)\//i.test(asked.target.path) ? [this.first] : this.cells.upFirst();
    if (way.by === 'report') return this.ofReport(asked);
    const found = await this.ofAccount(asked, way);
    if (found === EVERY_CELL && way.by === 'staff') throw refusals.nameTheCell(this.cells.letters);
    if (found === EVERY_CELL) return [this.first]; // always the same cell, because each cell has its own passwords
    return found === null ? this.cells.upFirst() : [this.known(found)];
  }

  private get first(): string {
    return this.cells.letters[0] ?? '';
  }

  /** The directory may contain a cell that this front does not know. */
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

  /** Staff exist in every cell, so the token decides the cell. */
  private async ofUsername(username: string, caller: Caller): Promise<string | null> {
    const value = username.toLowerCase();
    const isTheirs = caller !== null && 'username' in caller && caller.username.toLowerCase() === value;
    const signer = isTheirs && caller.signer !== null && this.cells.has(caller.signer) ? caller.signer : null;
    const found = await this.ofName({ kind: 'username', value }, signer);
    return found === EVERY_CELL ? (signer ?? EVERY_CELL) : found;
  }

  private async ofName(name: CellName, signer: string | null): Promise<string | null> {
    return name.value.length > LONGEST_NAME ? null : this.lookups.cellOfName(name, signer);
  }

  /** Starts with the cell of the id's letter or of the caller. An id in several cells yields no answer. */
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

function given({ target, headers, body }: Asked, way: Way): unknown {
  if (way.by === 'query') return fieldsIn(target.search)[way.field];
  return way.by === 'body' && body ? bodyField(body, headers['content-type'], way.field) : null;
}
