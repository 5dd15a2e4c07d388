export { MoveTemplateCommand } from './templates.commands.js';
export {
  isListed,
  type Language,
  LANGUAGES,
  readLanguage,
  placeholderNumbers,
  placeholders,
  type QuickReply,
  type Template,
  type TemplateCategory,
  readStatus,
  STATUS_LABELS,
  type TemplateMove,
  TemplateStatus,
} from './template.js';
export { TemplateLibrary, TemplateSearch } from './templates.store.js';
export { ReviewTemplatesQuery } from './templates.queries.js';
export { readTemplateId, TemplateAnswer } from './templates.dto.js';
export { TemplateLibraryModule, TemplatesModule, TemplatesWorkerModule } from './templates.module.js';
export { templateErrors, type TemplateSendFault, templateSendErrors } from './templates.errors.js';
export { templateTables } from './tables.js';
