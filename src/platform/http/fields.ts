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

/** Accepts an exact JSON number for a text (reference/requests#values). */
const numberAsText = Transform(({ value }: { value: unknown }) =>
  typeof value === 'number' && isHeld(value) ? String(value) : value,
);

/** @param fault error of an invalid value, with its example arguments */
export const rule = <Args extends unknown[]>(
  name: string,
  fault: DefinedError<Args>,
  holds: (value: unknown) => boolean,
): PropertyDecorator =>
  ValidateBy({ name, validator: { validate: holds, defaultMessage: () => fault.text } }, { context: { fault } });

/** Errors of values that are not plain texts; see also `fieldErrors`. */
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

/** Required text: 400 `<field> is required`. */
export const RequiredText = (field: string, example: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ example }),
    numberAsText,
    rule('requiredText', fieldErrors.required.shown(field), (value) => readText(value).kind === 'text'),
  );

/** Text up to `maxLength` characters, missing, null or empty: else 400 `<field> is invalid`. */
export const OptionalText = (field: string, options: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: String, nullable: true, ...options }),
    numberAsText,
    rule('optionalText', fieldErrors.invalid.shown(field), (value) => {
      const read = readText(value);
      return read.kind === 'text' ? codePoints(read.value) <= (options.maxLength ?? Infinity) : read.kind === 'empty';
    }),
  );

/** List of texts, missing or null: else 400 `<field> must be a list of texts`. Items are validated elsewhere. */
export const OptionalTexts = (field: string, options: { example: string[]; description: string }): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: [String], nullable: true, ...options }),
    rule(
      'optionalTexts',
      valueErrors.noTexts.shown(field),
      (value) => isAbsent(value) || (Array.isArray(value) && value.every((item) => typeof item === 'string')),
    ),
  );

/** Boolean or missing: else 400 `<field> must be true or false`. */
export const OptionalFlag = (field: string, example: boolean, description?: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: Boolean, example, ...(description === undefined ? {} : { description }) }),
    rule('optionalFlag', fieldErrors.noFlag.shown(field), (value) => isAbsent(value) || typeof value === 'boolean'),
  );

/** true = all, false = none, a list of ids, or missing: else 400 `<field> must be true, false or a list of ids`. */
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

/** One of the words, or missing: else 400 `<field> must be one of: …`. */
export const OptionalWord = (field: string, words: readonly string[], example: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ enum: [...words], example }),
    rule(
      'optionalWord',
      fieldErrors.noWord.shown(field, words),
      (value) => isAbsent(value) || value === '' || (typeof value === 'string' && words.includes(value)),
    ),
  );

/** One of the words: else 400 `<field> must be one of: …`. */
export const RequiredWord = (field: string, words: readonly string[], example: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ enum: [...words], example }),
    rule(
      'requiredWord',
      fieldErrors.noWord.shown(field, words),
      (value) => typeof value === 'string' && words.includes(value),
    ),
  );

/** Object of these names with booleans, or missing. */
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

/** Integer within ±`most`, not 0. */
export const RequiredAmount = (field: string, most: number, example: number): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: 'integer', example, minimum: -most, maximum: most }),
    rule(
      'requiredAmount',
      valueErrors.noAmount.shown(field, most),
      (value) => Number.isInteger(value) && value !== 0 && Math.abs(value as number) <= most,
    ),
  );

/** The revision that staff edited (reference/admin#revisions), missing or null: else 400. */
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

export const REVISION_ERRORS: readonly DocumentedError[] = [valueErrors.noRevision, changedSince];

/** Maximum messages per second of a route or a chat account. */
export const MOST_PER_SECOND = 1_000_000;

/** Messages per second; null = no limit; may be missing. */
export const OptionalSpeed = (field: string, example: number): PropertyDecorator =>
  OptionalCount(field, MOST_PER_SECOND, { example });

/** Integer from 1 to `most`, null or missing: else 400. */
export const OptionalCount = (field: string, most: number, options: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', nullable: true, minimum: 1, maximum: most, ...options }),
    rule(
      'optionalCount',
      fieldErrors.noWholeNumber.shown(field, 1, most),
      (value) => isAbsent(value) || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most),
    ),
  );

/** Printable ASCII up to `most` characters, missing, null or empty: else 400 `<field> is invalid`. */
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

const invalidField = invalid('invalid_field', (text: string) => text);

/** Validates DTOs of own endpoints: drops unknown fields and answers with the first fault in the DTO's field order. */
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

const faultOf = (context: unknown): AppError | undefined =>
  (context as { fault?: DefinedError<unknown[]> } | undefined)?.fault?.asShown();

const ONE_OF = 'x-one-of';

/** Placeholder in the document until `withUnions` resolves it. */
interface Union {
  field: string;
  variants: Record<string, string>;
}

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/** Documents a class as one of `variants`, by a field. Code uses the class; the variants share a base with it. */
export const OneOf =
  (field: string, variants: Readonly<Record<string, Type>>): ClassDecorator =>
  (target) => {
    const names = Object.fromEntries(Object.entries(variants).map(([word, { name }]) => [word, name]));
    ApiExtension(ONE_OF, { field, variants: names } satisfies Union)(target);
    ApiExtraModels(...Object.values(variants))(target);
  };

/** Replaces such classes by their variants. */
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
  /** `account` = the owner's zone */
  zone?: keyof typeof ZONES;
  description?: string;
  example?: string | null;
  nullable?: true;
}

/** YYYY-MM-DD HH:MM:SS; not a `date-time`, since it has no offset (reference/requests#dates). */
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

/** A time in answers, with its format and zone. */
export const LocalTime = timeProperty({ pattern: PATTERN }, '2026-11-21 09:30:00');

/** A time with an offset: a future time may be in an hour that clocks show twice. */
export const ZonedTime = timeProperty({ format: 'date-time' }, '2030-01-31T09:30:00+05:30');

/** `schedule_time` of a send. The pattern allows all of ISO 8601, such as `20300131T0930Z` and `2030-W05-4T09:30`. */
export const SCHEDULE_TIME = {
  pattern: String.raw`^\d{4}.*[ T]\d{2}`,
  description:
    'YYYY-MM-DD HH:MM:SS in the time zone of the account, or ISO 8601. A local time that clocks skip is the first instant after the gap, ' +
    'one that they show twice the earlier instant.',
  example: '2030-01-31 09:30:00',
} as const;

/** What happens to a scheduled send that starts late (reference/engine#late-starts). */
export const LATE = {
  enum: ['send', 'expire', 'hold'],
  example: 'expire',
  description:
    'What happens where it has not begun `late_after_s` after `schedule_time`: it is sent all the same (the default), ' +
    'cancelled and refunded, or paused until you resume it',
} as const;
export const LATE_AFTER = {
  type: 'integer',
  minimum: 60,
  maximum: 604_800,
  example: 600,
  description: 'Seconds, 60 without it',
} as const;

const CHANGES: Readonly<Record<ClockChange, string>> = {
  skipped: 'Clocks skip this time: it is the first instant after the gap',
  repeated: 'Clocks show this time twice: it is the earlier instant that is still to come',
};

/** Warning about a `schedule_time` that a clock change affects. */
export const clockWarnings = (change: ClockChange | null): AnswerWarning[] =>
  change === null ? [] : [{ code: 'schedule_time_moved', field: 'schedule_time', message: CHANGES[change] }];

/** The same for a request's `schedule_time`. @param zone of the account */
export const scheduleWarnings = (value: unknown, zone: string): AnswerWarning[] =>
  clockWarnings(clockChangeOf(value, zone));
