import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './house.js';

/** Words of `kernel/errors.ts`, and which of their arguments is the text. */
const DEFINITIONS: Readonly<Record<string, number>> = {
  defineError: 2,
  invalid: 1,
  unauthenticated: 1,
  forbidden: 1,
  notFound: 1,
  conflict: 1,
  tooLarge: 1,
  unprocessable: 1,
  failed: 1,
  upstream: 1,
  unavailable: 1,
};
const OLD_SUFFIXES = /\.(schema|answers|requests?|responses?|views?|examples)\.ts$|\/http\/.*-rows\.ts$/;
/** Stands in a text for a figure or a field's name. */
const FIGURE = '\u0000';

/** A text of the sources; templates have `FIGURE` for what they are filled with. */
interface SourceText {
  text: string;
  place: string;
  node: ts.Node;
}

const files = sourceFiles('src')
  .filter(({ path }) => !path.endsWith('.spec.ts') && !path.startsWith('src/apps/'))
  .map(({ path, text }) => ({ path, text, source: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) }));

function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map(({ literal }) => FIGURE + literal.text).join('');
}

function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* nodesOf(child);
}

const nodes = files.flatMap((file) => [...nodesOf(file.source)].map((node) => ({ file, node })));

const texts: SourceText[] = nodes.flatMap(({ file, node }) => {
  const text = textOf(node);
  if (text === null || ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent)) return [];
  const { line } = file.source.getLineAndCharacterOfPosition(node.getStart());
  return [{ text, node, place: `${file.path}:${line + 1}` }];
});

/** The texts with which errors are defined. */
const errorTexts: SourceText[] = nodes.flatMap(({ node }) => {
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return [];
  const at = DEFINITIONS[node.expression.text];
  const argument = at === undefined ? undefined : node.arguments[at];
  if (!argument) return [];
  const body = ts.isArrowFunction(argument) ? argument.body : argument;
  return texts.filter((known) => known.node === body);
});

const defined = new Set(errorTexts.map(({ node }) => node));

/** A text with figures, as it looks when they are filled in; null for one that has none, or says too little by itself. */
function filledIn(text: string): RegExp | null {
  const parts = text.split(FIGURE);
  if (parts.length === 1 || parts.join('').length < 10) return null;
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\S+')}$`, 'u');
}

/** Texts beside a definition that say the same: literally, or (where they are no definitions) with its figures filled in. */
function sameAs({ text, node }: SourceText): SourceText[] {
  const pattern = filledIn(text);
  return texts.filter(
    (other) =>
      other.node !== node &&
      ((other.text === text && /[a-z]/i.test(text)) ||
        (pattern?.test(other.text) && !defined.has(other.node) && !isCarriers(other.place))),
  );
}

/** What carriers say of a number or a message is no error of a request. */
const isCarriers = (place: string): boolean => place.startsWith('src/modules/providers/drivers/');

describe('an error', () => {
  it('is said once: no text of a thrown error stands anywhere else', () => {
    expect(errorTexts.length).toBeGreaterThan(100);
    const twice = errorTexts.flatMap((error) =>
      sameAs(error).map(
        ({ place, text }) => `${place} says ${JSON.stringify(text.replaceAll(FIGURE, '…'))}, as ${error.place} does`,
      ),
    );
    expect(twice).toEqual([]);
  });

  it('is thrown as it was defined, not made on the spot', () => {
    const made = nodes
      .filter(
        ({ node }) =>
          ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'AppError',
      )
      .map(({ file }) => file.path);
    expect(made).toEqual(['src/kernel/errors.ts']);
  });
});

describe('a shape', () => {
  const sources = files.filter(({ path }) => path.startsWith('src/modules/'));

  it('stands in a *.dto.ts', () => {
    const shapes = sources.filter(({ text }) => /^ {2}@(ApiProperty|Required|Optional)\w*\(/m.test(text));
    expect(shapes.length).toBeGreaterThan(20);
    expect(shapes.map(({ path }) => path).filter((path) => !path.endsWith('.dto.ts'))).toEqual([]);
  });

  it('has one suffix: none of the former ones is left', () => {
    expect(sources.map(({ path }) => path).filter((path) => OLD_SUFFIXES.test(path))).toEqual([]);
  });
});
