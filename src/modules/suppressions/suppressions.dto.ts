import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { dateTime } from '../../kernel/clock.js';
import type { ReadNumber } from '../../kernel/phone-numbers.js';
import { LocalTime, PageOf, RowFaultData } from '../../platform/http/index.js';
import { keptSpellings, type NumberHome, readerOf } from '../numbers/index.js';
import {
  orUserId,
  type RawNumbers,
  readNumbers,
  type Suppression,
  SUPPRESSION_SOURCES,
  type SuppressionSource,
} from './suppression.js';
import { suppressionErrors } from './suppressions.errors.js';

export class SuppressionNumbersBody {
  @ApiPropertyOptional({
    type: [String],
    example: ['4915112345678', '+49 151 87654321'],
    description: 'Numbers, or user ids of chat contacts that show none',
  })
  numbers?: string[];

  @ApiPropertyOptional({ example: '4915112345678', description: 'A single one' })
  number?: string;
}

export class SuppressionFileBody {
  @ApiProperty({
    type: 'string',
    format: 'binary',
    example: 'number\n4915112345678\n+49 151 87654321\n',
    description: 'CSV or .xlsx, at most 32 MB',
  })
  file!: unknown;
}

export class SuppressionData {
  @ApiProperty({ example: '4915112345678', description: 'A number, or the user id of a chat contact that shows none' })
  number!: string;

  @ApiProperty({
    enum: [...SUPPRESSION_SOURCES],
    example: 'stop',
    description:
      '`stop`: the number wrote a stop word; `carrier`: the carrier or provider says that the person has left',
  })
  source!: SuppressionSource;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'null: nothing is sent; `marketing`: templates of that category alone are held back',
  })
  category!: string | null;

  @LocalTime()
  created_at!: string;
}

export const suppressionData = ({ createdAt, ...entry }: Suppression, zone: string): SuppressionData => ({
  ...entry,
  created_at: dateTime(createdAt, zone),
});

export class SuppressionPageAnswer extends PageOf(SuppressionData) {}

export class AddedData {
  @ApiProperty({ example: 2 })
  added!: number;

  @ApiProperty({ example: 0, description: 'Stood on the list before' })
  already!: number;
}

export class AddedAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Suppressions saved successfully' })
  message!: string;

  @ApiProperty({ type: AddedData })
  data!: AddedData;
}

export class RemovedData {
  @ApiProperty({ example: 1 })
  removed!: number;
}

export class RemovedAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Suppressions removed successfully' })
  message!: string;

  @ApiProperty({ type: RemovedData })
  data!: RemovedData;
}

export class ImportData {
  @ApiProperty({ example: 3, description: 'Lines with something on them, the header left out' })
  lines!: number;

  @ApiProperty({ example: 1 })
  added!: number;

  @ApiProperty({ example: 1, description: 'On the list before, or twice in the file' })
  already!: number;

  @ApiProperty({ example: 1, description: 'Lines without a number that can be read' })
  invalid_count!: number;

  @ApiProperty({
    type: [RowFaultData],
    maxItems: 100,
    description:
      'The first hundred of them; `row` is the line of the file, of a spreadsheet the row from the first with a cell',
  })
  invalid!: RowFaultData[];
}

export class ImportAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Suppressions imported successfully' })
  message!: string;

  @ApiProperty({ type: ImportData })
  data!: ImportData;
}

/** Numbers of a body, without duplicates. @throws AppError invalid (reference/suppressions#routes-of-the-list) */
export const numbersOf = (raw: RawNumbers, home: NumberHome): string[] => readAll(raw, orUserId(readerOf(home)));

const PLAIN = /^[0-9]{8,30}$/;

/** Numbers to find or to take off; plain digits that are refused stand for themselves. @throws AppError as `numbersOf` */
export function wantedOf(raw: RawNumbers, home: NumberHome): string[] {
  const strict = orUserId(readerOf(home));
  return readAll(raw, (value) => {
    const reading = strict(value);
    const given = typeof value === 'string' ? value.trim() : '';
    return 'refused' in reading && PLAIN.test(given) ? { digits: given } : reading;
  });
}

function readAll(raw: RawNumbers, readNumber: ReadNumber): string[] {
  const read = readNumbers(raw, readNumber);
  if (!('fault' in read)) return read.numbers;
  if (read.fault === 'required') throw suppressionErrors.required();
  throw suppressionErrors.number(read.refused).helping({ index: read.index });
}

/** One number in all spellings of older versions. @returns null = every number */
export const wantedNumber = (value: unknown, home: NumberHome): string[] | null =>
  value === undefined || value === ''
    ? null
    : wantedOf({ number: value }, home).flatMap((number) => keptSpellings(number, home));
