import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { cellOfRequestId } from '../../kernel/request-id.js';
import type { FrontEnvironment } from '../../platform/config/index.js';
import { networksOf } from '../../platform/security/index.js';
import { apiKeyDigest, isApiKey, looksLikeEmail, normalEmail } from '../accounts/index.js';
import { EVERY_CELL } from '../cell-directory/index.js';
import { CellList } from './cell-list.js';
import { CellLookups, Unknowable } from './cell-lookups.js';
import { placesFor } from './domain/placement.js';
import {
  bodyField,
  bodyFields,
  callerOf,
  type Fields,
  fieldsIn,
  nameOf,
  reportIdOf,
} from './domain/requested-names.js';
import type { Target, Way } from './domain/ways.js';
import { FRONT_ENVIRONMENT } from './front-environment.js';
import { refusals } from './refusals.js';

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
const LONGEST_ID = 64;

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

  private async ofAccount({ target, headers, body }: Asked, way: Way): Promise<string | null> {
    if (way.by === 'query') {
      const name = nameOf(fieldsIn(target.search)[way.field]);
      if (name !== '') return this.ofName(name, way.login);
    }
    if (way.by === 'body' && body !== null) {
      const name = nameOf(bodyField(body, headers['content-type'], way.field));
      if (name !== '') return this.ofName(name, way.login);
    }
    return this.ofCaller(headers);
  }

  private async ofCaller(headers: IncomingHttpHeaders): Promise<string | null> {
    const caller = callerOf(headers);
    if (caller === null) return null;
    if ('apiKey' in caller) return isApiKey(caller.apiKey) ? this.lookups.cellOfKey(apiKeyDigest(caller.apiKey)) : null;
    const found = await this.ofName(caller.username, false);
    const { signer } = caller;
    // staff logs in to each cell: of a name that every cell has the token says whose it is
    return found === EVERY_CELL && signer !== null && this.cells.has(signer) ? signer : found;
  }

  private async ofName(text: string, login: boolean): Promise<string | null> {
    if (text.length > LONGEST_NAME) return null;
    return login && looksLikeEmail(text)
      ? this.lookups.cellOfName({ kind: 'email', value: normalEmail(text) })
      : this.lookups.cellOfName({ kind: 'username', value: text.toLowerCase() });
  }

  /** The letter's cell or the caller's first, then all others; what two others have is told to none. */
  private async ofReport({ target, headers, body }: Asked): Promise<string[]> {
    const fields: Fields = body === null ? {} : bodyFields(body, headers['content-type']);
    const id = reportIdOf(fieldsIn(target.search), fields);
    if (id === '' || id.length > LONGEST_ID) return this.cells.upFirst();
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
