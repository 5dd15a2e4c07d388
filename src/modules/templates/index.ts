export { isListed, type Language, languageOf, readLanguage } from './languages.js';
export {
  placeholderNumbers,
  placeholders,
  type Template,
  type TemplateCategory,
  STATUS_LABELS,
  TemplateStatus,
} from './template.js';
export { TemplateLibrary, TemplateSearch } from './templates.store.js';
export { TemplateLibraryModule, TemplatesModule, TemplatesWorkerModule } from './templates.module.js';
export { type TemplateSendFault, templateSendErrors } from './templates.errors.js';
export { templateTables } from './tables.js';
