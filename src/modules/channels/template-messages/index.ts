export { TemplateSendAnswer } from './template-messages.dto.js';
export { SendTemplateMessageCommand } from './template-messages.commands.js';
export { ChatPrices } from './chat-prices.store.js';
export { templateMessageTables } from './tables.js';
export { ChatPricesModule, TemplateMessagesModule } from './template-messages.module.js';
export { brandedChannel, templateChannel } from './template.channels.js';
export { SendableTemplates, type TemplateChannelName, templatePrice } from './sendable-templates.js';
export { templateRequestErrors } from './template-messages.errors.js';
export { givenRecipients, readTemplateReference, type TemplateReference } from './template-request.js';
