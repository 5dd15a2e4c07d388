import type { Content, Price } from '../../engine/index.js';
import { readLanguage, type Template, type TemplateCategory, templateSendErrors } from '../../templates/index.js';
import type { TemplateComponent } from './domain/template-parameters.js';
import type { TemplateRequest } from './template-request.js';

/** What of a request the approved template is held against. */
export type WantedTemplate = Pick<TemplateRequest, 'templateName' | 'language' | 'components'>;

/** The upstream's request without recipient: what a campaign keeps of a template send. */
interface Payload extends Content {
  type: 'template';
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
export const payloadOf = (template: Template, { components }: Pick<WantedTemplate, 'components'>): Payload => ({
  type: 'template',
  template: {
    name: template.name,
    language: { code: template.language.code },
    ...(components.length > 0 && { components }),
  },
});

/** What the request of a stored campaign wanted. @param content made by `payloadOf` */
export function wantedOf(content: Content): WantedTemplate {
  const { name, language, components = [] } = (content as Payload).template;
  const known = readLanguage(language.code);
  if (!known) throw templateSendErrors.languageMismatch();
  return { templateName: name, language: known, components };
}
