import { type Addressee, type Content, type ContentOutline, NO_OUTLINE, type Price } from '../../engine/index.js';
import { readLanguage, type Template, type TemplateCategory, templateSendErrors } from '../../templates/index.js';
import { PersonalisedComponents } from './domain/personalised-components.js';
import type { TemplateComponent } from './domain/template-parameters.js';
import type { TemplateReference } from './template-request.js';

/** What of a request the approved template is held against. */
export interface WantedTemplate extends Omit<TemplateReference, 'language'> {
  /** null = whichever the template has */
  language: TemplateReference['language'] | null;
}

/** The upstream's request without recipient: what a campaign keeps of a template send. */
interface Payload extends Content {
  type: 'template';
  /** the texts of the components have placeholders (reference/bulk#templates) */
  personalised?: true;
  template: { name: string; language: { code: string }; components?: TemplateComponent[] };
}

/** Which balance pays for a category (reference/credits#balances). */
const BALANCES = {
  marketing: 'chat_marketing_credits',
  utility: 'chat_utility_credits',
  auth: 'chat_auth_credits',
} as const satisfies Record<TemplateCategory, Price['balance']>;

/** The template's category decides which balance pays, 1 a recipient. */
export const templatePrice = ({ category }: Template): Price => ({ balance: BALANCES[category], unitCredits: 1 });

/** The language goes out as it was approved. */
export const payloadOf = (
  template: Template,
  { components }: Pick<WantedTemplate, 'components'>,
  isPersonalised = false,
): Payload => ({
  type: 'template',
  ...(isPersonalised && { personalised: true }),
  template: {
    name: template.name,
    language: { code: template.language.code },
    ...(components.length > 0 && { components }),
  },
});

/** What a campaign says: the template, and what its placeholders are filled with. */
export function outlineOf(content: Content): ContentOutline {
  const { name, language, components = [] } = (content as Payload).template;
  return { ...NO_OUTLINE, template: { name, language: language.code, components } };
}

/** By content: every recipient of a campaign is filled in from one reading of its components. */
const PERSONALISED = new WeakMap<Content, PersonalisedComponents>();

function personalisedOf(content: Content): PersonalisedComponents | null {
  if (content['personalised'] !== true) return null;
  const known = PERSONALISED.get(content);
  if (known) return known;
  const read = PersonalisedComponents.read((content as Payload).template.components ?? []);
  if ('fault' in read) throw new Error('personalised components were stored that cannot be read');
  PERSONALISED.set(content, read.components);
  return read.components;
}

/** The upstream's request as one recipient gets it. @param content made by `payloadOf` */
export function payloadFor(content: Content, { variables }: Addressee): Content {
  const personalised = personalisedOf(content);
  if (!personalised) return content;
  const { type, template } = content as Payload;
  return { type, template: { ...template, components: personalised.fill(variables) } };
}

const NOTHING: readonly string[] = [];

/** Placeholders of the components that a recipient leaves open. @param content made by `payloadOf` */
export const missingOf = (content: Content, { variables }: Addressee): readonly string[] =>
  personalisedOf(content)?.missing(variables) ?? NOTHING;

/** What the request of a stored campaign wanted. @param content made by `payloadOf` */
export function wantedOf(content: Content): WantedTemplate {
  const { name, language, components = [] } = (content as Payload).template;
  const known = readLanguage(language.code);
  if (!known) throw templateSendErrors.languageMismatch();
  return { templateName: name, language: known, components };
}
