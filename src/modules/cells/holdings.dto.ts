import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { fieldErrors } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json-values.js';
import type { CellName } from '../cell-directory/index.js';

export interface Holdings {
  request_ids: string[];
  /** SHA-256 in hex, as stored */
  api_keys: string[];
  names: CellName[];
}

export const MOST_ASKED = 500;

const LONGEST = 254;
const KINDS: ReadonlySet<unknown> = new Set(['email', 'username', 'mobile']);

class NameItem {
  @ApiProperty({ enum: ['email', 'username', 'mobile'] })
  kind!: CellName['kind'];

  @ApiProperty({ example: 'demo' })
  value!: string;
}

export class HoldingsRequest {
  @ApiPropertyOptional({ type: [String], maxItems: MOST_ASKED, example: ['GSMCAMP_20260501_A1B2C3'] })
  request_ids?: string[];

  @ApiPropertyOptional({ type: [String], maxItems: MOST_ASKED, description: 'SHA-256 of keys, hexadecimal' })
  api_keys?: string[];

  @ApiPropertyOptional({ type: [NameItem], maxItems: MOST_ASKED })
  names?: NameItem[];
}

class HeldItems {
  @ApiProperty({ type: [String] })
  request_ids!: string[];

  @ApiProperty({ type: [String] })
  api_keys!: string[];

  @ApiProperty({ type: [NameItem] })
  names!: NameItem[];
}

export class HoldingsAnswer {
  @ApiProperty({ enum: [true] })
  success!: boolean;

  @ApiProperty({ type: HeldItems })
  data!: HeldItems;
}

export function readHoldings(body: unknown): Holdings {
  const fields = isObject(body) ? body : {};
  return {
    request_ids: listOf(fields, 'request_ids', isText),
    api_keys: listOf(fields, 'api_keys', isText),
    names: listOf(fields, 'names', isName),
  };
}

function listOf<Item>(fields: Record<string, unknown>, name: string, is: (item: unknown) => item is Item): Item[] {
  const value = fields[name] ?? [];
  if (!Array.isArray(value) || value.length > MOST_ASKED || !value.every(is)) throw fieldErrors.invalid(name);
  return value;
}

const isText = (item: unknown): item is string => typeof item === 'string' && item.length <= LONGEST;
const isName = (item: unknown): item is CellName => isObject(item) && KINDS.has(item['kind']) && isText(item['value']);
