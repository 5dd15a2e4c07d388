import { Injectable } from '@nestjs/common';
import {
  type ChatAccount,
  chatAccountErrors,
  ChatAccounts,
  type ChatConnection,
  type UsableChatAccount,
  usableAccount,
} from '../../providers/index.js';
import {
  isListed,
  placeholderNumbers,
  placeholders,
  type Template,
  TemplateLibrary,
  templateSendErrors,
  type TemplateSendFault,
  TemplateStatus,
} from '../../templates/index.js';
import type { Content } from '../../engine/index.js';
import { textFault } from '../personalised/index.js';
import { PersonalisedComponents } from './domain/personalised-components.js';
import { parameterFault, type TemplateComponent } from './domain/template-parameters.js';
import { templateRequestErrors } from './template-messages.errors.js';
import { payloadOf, type WantedTemplate } from './template-payload.js';

/** Connections of an account in order of preference (reference/template-messages#connections). */
const CONNECTIONS = {
  template: ['official'],
  branded: ['branded', 'official'],
} as const satisfies Record<string, readonly ChatConnection[]>;

export type TemplateChannelName = keyof typeof CONNECTIONS;

/** A template as it is sent to recipients that have values of their own. */
export interface PersonalisedTemplate {
  template: Template;
  content: Content;
  /** of the placeholders */
  names: readonly string[];
}

/** Whether a template may leave now, and over which connection: for a new send as for a retry of an old one. */
@Injectable()
export class SendableTemplates {
  constructor(
    private readonly library: TemplateLibrary,
    private readonly accounts: ChatAccounts,
  ) {}

  /** @throws AppError the template's rows of reference/template-messages#errors in their order */
  async approved(accountId: number, wanted: WantedTemplate): Promise<Template> {
    return judged(await this.library.find(accountId, wanted.templateName), wanted);
  }

  /** As `approved`, of a request. @throws AppError first the request's row of a language that is none, then the same */
  async requested(accountId: number, wanted: WantedTemplate): Promise<Template> {
    const found = await this.library.find(accountId, wanted.templateName);
    assertRecognized(found, wanted);
    return judged(found, wanted);
  }

  /**
   * As `requested`, for a send whose recipients have values of their own: a part of the template that the components leave out
   * is filled by them (reference/bulk#templates).
   * @throws AppError the same rows, then a fault of a placeholder
   */
  async personalised(accountId: number, wanted: WantedTemplate): Promise<PersonalisedTemplate> {
    const found = await this.library.find(accountId, wanted.templateName);
    assertRecognized(found, wanted);
    const components = found ? completed(found, wanted.components) : wanted.components;
    const template = judged(found, { ...wanted, components });
    const read = PersonalisedComponents.read(components);
    if ('fault' in read) throw textFault('template.components', read);
    const { names, isConstant } = read.components;
    return { template, content: payloadOf(template, { components }, !isConstant), names };
  }

  /** @throws AppError the chat account's rows of reference/session-messages#connection-errors */
  async connection(accountId: number, channel: TemplateChannelName): Promise<UsableChatAccount> {
    return usableAccount(await this.find(accountId, channel));
  }

  /** @throws AppError the first of those rows: there is no chat account */
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

/** A code that the table lacks is a language only where the template is in it. @throws AppError the request's row */
function assertRecognized(template: Template | null, { language }: WantedTemplate): void {
  if (language && !isListed(language) && template?.language.code !== language.code)
    throw templateRequestErrors.language();
}

/** @throws AppError the row that applies */
function judged(template: Template | null, wanted: WantedTemplate): Template {
  const fault = template ? templateFault(template, wanted) : 'notFound';
  if (!template || fault) throw templateSendErrors[fault ?? 'notFound']();
  return template;
}

/** With a body and a text header whose parameters are the recipients' own, where the components have none. */
function completed(template: Template, components: readonly TemplateComponent[]): TemplateComponent[] {
  const own = (type: 'header' | 'body', text: string, prefix = ''): TemplateComponent[] => {
    const isGiven = components.some((component) => String(component['type']).toLowerCase() === type);
    const numbers = placeholderNumbers(text);
    if (isGiven || numbers.length === 0) return [];
    return [{ type, parameters: numbers.map((number) => ({ type: 'text', text: `{{${prefix}${number}}}` })) }];
  };
  const headerText = template.headerAreaType === 'text' ? template.headerText : '';
  return [...own('header', headerText, 'header_'), ...own('body', template.body), ...components];
}

/**
 * Only an approved template sends (reference/templates#statuses), in its own language, with its number of parameters.
 */
function templateFault(template: Template, { language, components }: WantedTemplate): TemplateSendFault | null {
  if (template.status === TemplateStatus.Pending) return 'pending';
  if (template.status === TemplateStatus.Rejected) return 'rejected';
  if (template.status !== TemplateStatus.Approved) return 'notApproved';
  if (language && template.language.code !== language.code) return 'languageMismatch';
  const bodyParameters = placeholders(template.body);
  return parameterFault(components, { bodyParameters, headerParameters: headerParameters(template) });
}

function headerParameters({ headerAreaType, headerText }: Template): number {
  if (headerAreaType === 'media') return 1;
  return headerAreaType === 'text' ? placeholders(headerText) : 0;
}
