export { TemplateSendAnswer } from './http/template-message.dto.js';
export { SendTemplateMessageCommand } from './commands/send-template-message.command.js';
export type { QueuedTemplateSend } from './template-queue.js';
export { TemplateMessagesModule } from './template-messages.module.js';
export { brandedChannel, templateChannel } from './template.channels.js';
export { SendableTemplates, type TemplateChannelName } from './sendable-templates.js';
export { templateRequestErrors } from './template-messages.errors.js';
export { templatePrice } from './template-payload.js';
export { readTemplateReference, type TemplateReference } from './template-request.js';
