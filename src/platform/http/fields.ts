import { applyDecorators, type Type, ValidationPipe } from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  type ApiPropertyOptions,
  type OpenAPIObject,
} from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy, type ValidationError } from 'class-validator';
import { type ClockChange, clockChangeOf } from '../../kernel/clock.js';
import {
  type AppError,
  changedSince,
  type DefinedError,
  type DocumentedError,
  fieldErrors,
  invalid,
} from '../../kernel/errors.js';
import { codePoints, isHeld, readText } from '../../kernel/text.js';
import type { AnswerWarning } from './warnings.js';

/** Where a text is due, a number that JSON holds is taken as its text (reference/requests#values). */
const numberAsText = Transform(({ value }: { value: unknown }) =>
  typeof value === 'number' && isHeld(value) ? String(value) : value,
);

/** @param fault what is said of a value that does not hold, with the words that it shows */
export const rule = <Args extends unknown[]>(
  name: string,
  fault: DefinedError<Args>,
  holds: (value: unknown) => boolean,
): PropertyDecorator =>
  ValidateBy({ name, validator: { validate: holds, defaultMessage: () => fault.text } }, { context: { fault } });

/** What is said of values that are no plain text, beside `fieldErrors`. */
export const valueErrors = {
  noTexts: invalid('field_no_texts', (field: string) => `${field} must be a list of texts`, 'something else'),
  noIds: invalid('field_no_ids', (field: string) => `${field} must be true, false or a list of ids`, 'something else'),
  noFlags: invalid(
    'field_no_flags',
    (field: string) => `${field} must be an object of true or false`,
    'something else',
  ),
  noAmount: invalid(
    'field_no_amount',
    (field: string, most: number) => `${field} must be a whole number between -${most} and ${most}, other than 0`,
    'something else',
  ),
  noRevision: invalid('no_revision', 'revision must be a whole number from 1', 'something else'),
};

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** A text that must be there: 400 `<field> is required`. */
export const RequiredText = (field: string, example: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ example }),
    numberAsText,
    rule('requiredText', fieldErrors.required.shown(field), (value) => readText(value).kind === 'text'),
  );

/** A text (of `maxLength` characters at most) that may be missing, null or empty: 400 `<field> is invalid` otherwise. */
export const OptionalText = (field: string, options: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: String, nullable: true, ...options }),
    numberAsText,
    rule('optionalText', fieldErrors.invalid.shown(field), (value) => {
      const read = readText(value);
      return read.kind === 'text' ? codePoints(read.value) <= (options.maxLength ?? Infinity) : read.kind === 'empty';
    }),
  );

/** A list of texts, or missing or null: 400 `<field> must be a list of texts`. What stands in it is judged elsewhere. */
export const OptionalTexts = (field: string, options: { example: string[]; description: string }): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: [String], nullable: true, ...options }),
    rule(
      'optionalTexts',
      valueErrors.noTexts.shown(field),
      (value) => isAbsent(value) || (Array.isArray(value) && value.every((item) => typeof item === 'string')),
    ),
  );

/** true or false, or missing: 400 `<field> must be true or false`. */
export const OptionalFlag = (field: string, example: boolean, description?: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: Boolean, example, ...(description === undefined ? {} : { description }) }),
    rule('optionalFlag', fieldErrors.noFlag.shown(field), (value) => isAbsent(value) || typeof value === 'boolean'),
  );

/** true for all, false for none, or a list of ids; or missing: 400 `<field> must be true, false or a list of ids`. */
export const OptionalIds = (field: string, most: number, description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      oneOf: [
        { type: 'boolean', nullable: true },
        { type: 'array', items: { type: 'integer', minimum: 1 }, maxItems: most },
      ],
      example: false,
      description,
    }),
    rule(
      'optionalIds',
      valueErrors.noIds.shown(field),
      (value) => isAbsent(value) || typeof value === 'boolean' || isIdList(value, most),
    ),
  );

const isIdList = (value: unknown, most: number): boolean =>
  Array.isArray(value) && value.length <= most && value.every((id) => Number.isSafeInteger(id) && (id as number) > 0);

/** One of the words, or missing: 400 `<field> must be one of: …`. */
export const OptionalWord = (field: string, words: readonly string[], example: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ enum: [...words], example }),
    rule(
      'optionalWord',
      fieldErrors.noWord.shown(field, words),
      (value) => isAbsent(value) || value === '' || (typeof value === 'string' && words.includes(value)),
    ),
  );

/** One of the words: 400 `<field> must be one of: …`. */
export const RequiredWord = (field: string, words: readonly string[], example: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ enum: [...words], example }),
    rule(
      'requiredWord',
      fieldErrors.noWord.shown(field, words),
      (value) => typeof value === 'string' && words.includes(value),
    ),
  );

/** An object of names with true or false, or missing. */
export const OptionalFlags = (field: string, names: readonly string[]): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'boolean' }])),
      additionalProperties: false,
      example: { client_management: false },
    }),
    rule(
      'optionalFlags',
      valueErrors.noFlags.shown(field),
      (value) =>
        isAbsent(value) ||
        (typeof value === 'object' &&
          !Array.isArray(value) &&
          Object.values(value as object).every((flag) => typeof flag === 'boolean')),
    ),
  );

/** A whole number other than 0 within ±`most`. */
export const RequiredAmount = (field: string, most: number, example: number): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: 'integer', example, minimum: -most, maximum: most }),
    rule(
      'requiredAmount',
      valueErrors.noAmount.shown(field, most),
      (value) => Number.isInteger(value) && value !== 0 && Math.abs(value as number) <= most,
    ),
  );

/**
 * The revision that staff looked at (reference/admin#revisions), or missing or null: 400 `revision must be a whole
 * number from 1`.
 */
export const OptionalRevision = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      nullable: true,
      minimum: 1,
      example: 1,
      description: 'What was looked at, as the list shows it; may be left out while it is 1.',
    }),
    rule(
      'optionalRevision',
      valueErrors.noRevision,
      (value) => isAbsent(value) || (Number.isSafeInteger(value) && (value as number) >= 1),
    ),
  );

/** What `revision` adds to an error table. */
export const REVISION_ERRORS: readonly DocumentedError[] = [valueErrors.noRevision, changedSince];

/** Most messages a second of a route or a chat account. */
export const MOST_PER_SECOND = 1_000_000;

/** Messages a second, or missing, or null for no limit. */
export const OptionalSpeed = (field: string, example: number): PropertyDecorator =>
  OptionalCount(field, MOST_PER_SECOND, { example });

/** A whole number from 1 to `most`, or null, or missing: 400 for anything else. */
export const OptionalCount = (field: string, most: number, options: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', nullable: true, minimum: 1, maximum: most, ...options }),
    rule(
      'optionalCount',
      fieldErrors.noWholeNumber.shown(field, 1, most),
      (value) => isAbsent(value) || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most),
    ),
  );

/** Printable ASCII up to `most` characters, or missing, null or empty: 400 `<field> is invalid` for anything else. */
export const OptionalToken = (field: string, most: number, options: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: String, nullable: true, maxLength: most, ...options }),
    numberAsText,
    rule('optionalToken', fieldErrors.invalid.shown(field), (value) => {
      const read = readText(value);
      return read.kind === 'empty' || (read.kind === 'text' && read.value.length <= most && PRINTABLE.test(read.value));
    }),
  );

const PRINTABLE = /^[\x21-\x7e]+$/;

/** @param text what the field's decorator says */
const invalidField = invalid('invalid_field', (text: string) => text);

/**
 * Validation of our own endpoints' DTOs: unknown fields are dropped, and the answer is the message of the first fault
 * in the order in which the DTO declares its fields.
 */
export const validation = (): ValidationPipe =>
  new ValidationPipe({
    whitelist: true,
    transform: true,
    stopAtFirstError: true,
    forbidUnknownValues: false,
    validationError: { target: false, value: false },
    exceptionFactory: (errors) => firstFault(errors),
  });

function firstFault(errors: ValidationError[]): AppError {
  for (const { constraints = {}, contexts, property, children } of errors) {
    const [rule, text] = Object.entries(constraints)[0] ?? [];
    if (rule !== undefined && text !== undefined) {
      const fault = faultOf(contexts?.[rule]) ?? invalidField(text);
      return fault.helping({ field: property, ...fault.help });
    }
    if (children && children.length > 0) return firstFault(children);
  }
  return invalidField('Bad Request');
}

/** What the rule of a field throws, which its decorator says (`fields.ts`). */
const faultOf = (context: unknown): AppError | undefined =>
  (context as { fault?: DefinedError<unknown[]> } | undefined)?.fault?.asShown();

const ONE_OF = 'x-one-of';

/** What stands in the document until `withUnions` reads it. */
interface Union {
  field: string;
  /** names of schemas by the word of the field */
  variants: Record<string, string>;
}

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/**
 * A class that the document shows as one of several, told apart by a field. The class itself has what the code reads; the
 * variants are described only, and share a base with it rather than extend it.
 */
export const OneOf =
  (field: string, variants: Readonly<Record<string, Type>>): ClassDecorator =>
  (target) => {
    const names = Object.fromEntries(Object.entries(variants).map(([word, { name }]) => [word, name]));
    ApiExtension(ONE_OF, { field, variants: names } satisfies Union)(target);
    ApiExtraModels(...Object.values(variants))(target);
  };

/** Puts the variants in the place of the classes that are one of several. */
export const withUnions = (schemas: Schemas): Schemas =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const union = (schema as Record<string, unknown>)[ONE_OF] as Union | undefined;
      return [name, union ? asUnion(union) : schema];
    }),
  );

function asUnion({ field, variants }: Union): Schemas[string] {
  const mapping = Object.fromEntries(
    Object.entries(variants).map(([word, name]) => [word, `#/components/schemas/${name}`]),
  );
  return {
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: field, mapping },
  };
}

const ZONES = {
  account: 'In the time zone of the account',
  asker: 'In the time zone of the account that asks',
} as const;

interface LocalTimeOptions {
  /** whose zone it is; `account` = the one whose thing it is */
  zone?: keyof typeof ZONES;
  /** beside the zone, which is always said */
  description?: string;
  example?: string | null;
  nullable?: true;
}

/** YYYY-MM-DD HH:MM:SS, as a pattern: it is no `date-time`, since it names no offset (reference/requests#dates). */
const PATTERN = String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$`;

const timeProperty =
  (form: { pattern: string } | { format: string }, usual: string) =>
  ({ zone = 'account', description, example, nullable }: LocalTimeOptions = {}) =>
    ApiProperty({
      type: String,
      ...form,
      ...(nullable && { nullable }),
      example: example === undefined ? usual : example,
      description: description === undefined ? ZONES[zone] : `${description}. ${ZONES[zone]}`,
    });

/** A printed time of an answer: what it looks like, and in which time zone it is. */
export const LocalTime = timeProperty({ pattern: PATTERN }, '2026-11-21 09:30:00');

/** A moment of an answer with the offset of its zone: what is to come may be in an hour that clocks show twice. */
export const ZonedTime = timeProperty({ format: 'date-time' }, '2030-01-31T09:30:00+05:30');

/** `schedule_time` of a send, for its body. The pattern is as wide as ISO 8601: `20300131T0930Z`, `2030-W05-4T09:30` too. */
export const SCHEDULE_TIME = {
  pattern: String.raw`^\d{4}.*[ T]\d{2}`,
  description:
    'YYYY-MM-DD HH:MM:SS in the time zone of the account, or ISO 8601. A local time that clocks skip is the first instant after the gap, ' +
    'one that they show twice the earlier instant.',
  example: '2030-01-31 09:30:00',
} as const;

const CHANGES: Readonly<Record<ClockChange, string>> = {
  skipped: 'Clocks skip this time: it is the first instant after the gap',
  repeated: 'Clocks show this time twice: it is the earlier instant that is still to come',
};

/** The hint about a `schedule_time` that a change of the clocks has an effect on. */
export const clockWarnings = (change: ClockChange | null): AnswerWarning[] =>
  change === null ? [] : [{ code: 'schedule_time_moved', field: 'schedule_time', message: CHANGES[change] }];

/** The same for the `schedule_time` of a request. @param zone of the account */
export const scheduleWarnings = (value: unknown, zone: string): AnswerWarning[] =>
  clockWarnings(clockChangeOf(value, zone));
