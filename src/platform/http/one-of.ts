import type { Type } from '@nestjs/common';
import { ApiExtension, ApiExtraModels } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';

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
