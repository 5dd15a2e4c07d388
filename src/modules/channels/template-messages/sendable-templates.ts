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
  placeholders,
  type Template,
  TemplateLibrary,
  templateSendErrors,
  type TemplateSendFault,
  TemplateStatus,
} from '../../templates/index.js';
import { parameterFault } from './domain/template-parameters.js';
import type { WantedTemplate } from './template-payload.js';

/** Connections of an account in order of preference (reference/template-messages#connections). */
const CONNECTIONS = {
  template: ['official'],
  branded: ['branded', 'official'],
} as const satisfies Record<string, readonly ChatConnection[]>;

export type TemplateChannelName = keyof typeof CONNECTIONS;

/** Whether a template may leave now, and over which connection: for a new send as for a retry of an old one. */
@Injectable()
export class SendableTemplates {
  constructor(
    private readonly library: TemplateLibrary,
    private readonly accounts: ChatAccounts,
  ) {}

  /** @throws AppError the template's rows of reference/template-messages#errors in their order */
  async approved(accountId: number, wanted: WantedTemplate): Promise<Template> {
    const template = await this.library.find(accountId, wanted.templateName);
    const fault = template ? templateFault(template, wanted) : 'notFound';
    if (!template || fault) throw templateSendErrors[fault ?? 'notFound']();
    return template;
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

/**
 * Only an approved template sends (reference/templates#statuses), in its own language, with its number of parameters.
 */
function templateFault(template: Template, { language, components }: WantedTemplate): TemplateSendFault | null {
  if (template.status === TemplateStatus.Pending) return 'pending';
  if (template.status === TemplateStatus.Rejected) return 'rejected';
  if (template.status !== TemplateStatus.Approved) return 'notApproved';
  if (template.language.id !== language.id) return 'languageMismatch';
  const bodyParameters = placeholders(template.body);
  return parameterFault(components, { bodyParameters, headerParameters: headerParameters(template) });
}

function headerParameters({ headerAreaType, headerText }: Template): number {
  if (headerAreaType === 'media') return 1;
  return headerAreaType === 'text' ? placeholders(headerText) : 0;
}
