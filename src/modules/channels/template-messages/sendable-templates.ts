import { Injectable } from '@nestjs/common';
import type { AppError } from '../../../kernel/errors.js';
import { objectOrEmpty } from '../../../kernel/json-values.js';
import { type Channel, type Content, type Price } from '../../engine/index.js';
import {
  type ChatAccount,
  chatAccountErrors,
  ChatAccounts,
  type ChatConnection,
  usableAccount,
  type UsableChatAccount,
} from '../../providers/index.js';
import {
  isListed,
  languageOf,
  placeholderNumbers,
  placeholders,
  readLanguage,
  type Template,
  type TemplateCategory,
  TemplateLibrary,
  templateSendErrors,
  type TemplateSendFault,
  TemplateStatus,
} from '../../templates/index.js';
import { textFault } from '../personalised/index.js';
import { templateRequestErrors } from './template-messages.errors.js';
import {
  flattenedComponents,
  hasButtonFault,
  hasRefusedText,
  parameterFault,
  PersonalisedComponents,
  type TemplateComponent,
  type WantedButton,
} from './template-parameters.js';
import type { TemplateReference } from './template-request.js';

type Addressee = Parameters<Channel['compose']>[1];

interface WantedTemplate extends Omit<TemplateReference, 'language'> {
  /** null = any language of the template */
  language: TemplateReference['language'] | null;
}

/** The provider's request without recipient: the content of a template campaign. */
interface Payload extends Content {
  type: 'template';
  /** the components have placeholders (reference/bulk#templates) */
  personalised?: true;
  /** white space that the provider refuses in the values is replaced by blanks */
  flatten?: true;
  template: { name: string; language: { code: string }; components?: TemplateComponent[] };
}

const BALANCES = {
  marketing: 'chat_marketing_credits',
  utility: 'chat_utility_credits',
  auth: 'chat_auth_credits',
} as const satisfies Record<TemplateCategory, Price['balance']>;

/** 1 credit a recipient, from the balance of the template's category (reference/credits#balances). */
export const templatePrice = ({ category }: Template): Price => ({ balance: BALANCES[category], unitCredits: 1 });

/** Says that the provider has changed the category since a campaign was charged to `balance`; null = it has not. */
export function priceNoteOf({ name, category, recategorised }: Template, balance: string): string | null {
  if (recategorised === null || BALANCES[category] === balance) return null;
  return `The provider has moved ${name} from ${recategorised.from} to ${category}: this campaign keeps its price, and the next send pays from ${BALANCES[category]}.`;
}

/** The language code is sent as it was approved. */
export const payloadOf = (
  template: Template,
  { components: given }: Pick<WantedTemplate, 'components'>,
  personalised: { flatten: boolean } | null = null,
): Payload => {
  const components = withCode(template, given);
  return {
    type: 'template',
    ...(personalised && { personalised: true }),
    ...(personalised?.flatten && { flatten: true }),
    template: {
      name: template.name,
      language: { code: template.language.code },
      ...(components.length > 0 && { components }),
    },
  };
};

/** A campaign's template and the values of its placeholders. */
export function outlineOf(content: Content): ReturnType<NonNullable<Channel['outline']>> {
  const { name, language, components = [] } = (content as Payload).template;
  return { template: { name, language: language.code, components } };
}

/** By content, so that a campaign's components are parsed once. */
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

/** The provider's request for one recipient. @param content made by `payloadOf` */
export function payloadFor(content: Content, { variables }: Addressee): Content {
  const personalised = personalisedOf(content);
  if (!personalised) return content;
  const { type, template, flatten } = content as Payload;
  const filled = personalised.fill(variables);
  return { type, template: { ...template, components: flatten ? flattenedComponents(filled) : filled } };
}

/** The provider would refuse the values of a recipient; null = it takes them. @param content made by `payloadOf` */
export const refusalOf = (content: Content, { variables }: Addressee): AppError | null =>
  content['flatten'] !== true && personalisedOf(content)?.isRefused(variables)
    ? templateSendErrors.parameterText()
    : null;

const NOTHING: readonly string[] = [];

/** Placeholders without a value for a recipient. @param content made by `payloadOf` */
export const missingOf = (content: Content, { variables }: Addressee): readonly string[] =>
  personalisedOf(content)?.missing(variables) ?? NOTHING;

/** The id of languages that have none. */
const UNLISTED = 1;

/** The template reference of a stored campaign. @param content made by `payloadOf` */
export function wantedOf(content: Content): WantedTemplate {
  const { name, language, components = [] } = (content as Payload).template;
  const known = readLanguage(language.code) ?? languageOf(UNLISTED, language.code);
  return { templateName: name, language: known, components };
}

/** In order of preference (reference/template-messages#connections). */
const CONNECTIONS = {
  template: ['official'],
  branded: ['branded', 'official'],
} as const satisfies Record<string, readonly ChatConnection[]>;

export type TemplateChannelName = keyof typeof CONNECTIONS;

export interface PersonalisedTemplate {
  template: Template;
  content: Content;
  names: readonly string[];
}

/** Checks that a template may be sent now, and finds its connection; for new sends and retries. */
@Injectable()
export class SendableTemplates {
  constructor(
    private readonly library: TemplateLibrary,
    private readonly accounts: ChatAccounts,
  ) {}

  /** @throws AppError the template's rows of reference/template-messages#errors, in order */
  async approved(accountId: number, wanted: WantedTemplate): Promise<Template> {
    return assertSendable(await this.library.find(accountId, wanted.templateName), wanted);
  }

  /** @throws AppError the request's row of an unknown language, then the rows of `approved` */
  async requested(accountId: number, wanted: WantedTemplate): Promise<Template> {
    const found = await this.library.find(accountId, wanted.templateName);
    assertRecognized(found, wanted);
    return assertSendable(found, wanted);
  }

  /** `requested`, where the recipients' values fill the parts that the components omit (reference/bulk#templates). */
  async personalised(accountId: number, wanted: WantedTemplate, flatten: boolean): Promise<PersonalisedTemplate> {
    const found = await this.library.find(accountId, wanted.templateName);
    assertRecognized(found, wanted);
    const given = flatten ? flattenedComponents(wanted.components) : wanted.components;
    const components = found ? completed(found, given) : given;
    const template = assertSendable(found, { ...wanted, components });
    const read = PersonalisedComponents.read(components);
    if ('fault' in read) throw textFault('template.components', read);
    const { names, isConstant } = read.components;
    return { template, content: payloadOf(template, { components }, isConstant ? null : { flatten }), names };
  }

  /** @throws AppError the chat account's rows of reference/session-messages#connection-errors */
  async connection(accountId: number, channel: TemplateChannelName): Promise<UsableChatAccount> {
    return usableAccount(await this.find(accountId, channel));
  }

  /** @throws AppError when there is no chat account */
  async assertConnected(accountId: number, channel: TemplateChannelName): Promise<void> {
    if (!(await this.find(accountId, channel))) throw chatAccountErrors.notFound();
  }

  private async find(accountId: number, channel: TemplateChannelName): Promise<ChatAccount | null> {
    for (const connection of CONNECTIONS[channel]) {
      const account = await this.accounts.find(accountId, connection);
      if (account) return account;
    }
    return null;
  }
}

/** A language code outside the table is valid only if the template has it. @throws AppError the request's row */
function assertRecognized(template: Template | null, { language }: WantedTemplate): void {
  if (language && !isListed(language) && template?.language.code !== language.code)
    throw templateRequestErrors.language();
}

function assertSendable(template: Template | null, wanted: WantedTemplate): Template {
  const fault = template ? templateFault(template, wanted) : 'notFound';
  if (!template || fault) throw templateSendErrors[fault ?? 'notFound']();
  return template;
}

/** Adds a body and a text header with parameters from the recipients' values, if the components have none. */
function completed(template: Template, components: readonly TemplateComponent[]): TemplateComponent[] {
  const own = (type: 'header' | 'body', text: string, prefix = ''): TemplateComponent[] => {
    const isGiven = components.some((component) => String(component['type']).toLowerCase() === type);
    const numbers = placeholderNumbers(text);
    if (isGiven || numbers.length === 0) return [];
    return [{ type, parameters: numbers.map((number) => ({ type: 'text', text: `{{${prefix}${number}}}` })) }];
  };
  const headerText = template.headerAreaType === 'text' ? template.headerText : '';
  const buttons = (buttonsWanting(template) ?? []).filter(
    ({ index }) => !template.providerWrites && !components.some((component) => isButton(component, index)),
  );
  return [
    ...own('header', headerText, 'header_'),
    ...own('body', template.body),
    ...components,
    ...buttons.map(({ index, subType }) => buttonOf(index, subType, `{{button_${index}}}`)),
  ];
}

const isButton = ({ type, index }: TemplateComponent, wanted: number): boolean =>
  String(type).toLowerCase() === 'button' && (index === wanted || index === String(wanted));

const buttonOf = (index: number, subType: WantedButton['subType'], value: string): TemplateComponent => ({
  type: 'button',
  sub_type: subType,
  index: String(index),
  parameters: [subType === 'url' ? { type: 'text', text: value } : { type: 'coupon_code', coupon_code: value }],
});

/** Buttons that want a parameter; null = the template's buttons are not known here. */
function buttonsWanting(template: Template): WantedButton[] | null {
  if (template.providerWrites) return [{ index: CODE_BUTTON, subType: 'url' }];
  if (template.buttons.length === 0) return null;
  const first = template.quickReplies.length;
  return template.buttons.flatMap((button, at): WantedButton[] => {
    if (button.type === 'COPY_CODE') return [{ index: first + at, subType: 'copy_code' }];
    return button.type === 'URL' && button.url.includes('{{1}}') ? [{ index: first + at, subType: 'url' }] : [];
  });
}

/** The button of the authentication templates that the provider writes: it takes the code of the body. */
const CODE_BUTTON = 0;

/** Adds the code to the button of an authentication template, where the components do not give it. */
function withCode(template: Template, components: readonly TemplateComponent[]): TemplateComponent[] {
  const all = [...components];
  if (!template.providerWrites || all.some((component) => isButton(component, CODE_BUTTON))) return all;
  const body = all.find(({ type }) => String(type).toLowerCase() === 'body');
  const [code] = Array.isArray(body?.['parameters']) ? (body['parameters'] as unknown[]) : [];
  const text = objectOrEmpty(code)['text'];
  return typeof text === 'string' ? [...all, buttonOf(CODE_BUTTON, 'url', text)] : all;
}

/** Only an approved template sends (reference/templates#statuses), in its language and with its number of parameters. */
function templateFault(template: Template, { language, components: given }: WantedTemplate): TemplateSendFault | null {
  if (template.status === TemplateStatus.Pending) return 'pending';
  if (template.status === TemplateStatus.Rejected) return 'rejected';
  if (template.status !== TemplateStatus.Approved) return 'notApproved';
  if (language && template.language.code !== language.code) return 'languageMismatch';
  const components = withCode(template, given);
  const parts = { bodyParameters: placeholders(template.body), headerParameters: headerParameters(template) };
  const fault = parameterFault(components, parts);
  if (fault) return fault;
  if (hasRefusedText(components)) return 'parameterText';
  return hasButtonFault(components, buttonsWanting(template)) ? 'buttonParameters' : null;
}

function headerParameters({ headerAreaType, headerText }: Template): number {
  if (headerAreaType === 'media') return 1;
  return headerAreaType === 'text' ? placeholders(headerText) : 0;
}
