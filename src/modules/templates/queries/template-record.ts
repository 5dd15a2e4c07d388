import { dateTime } from '../../../kernel/clock.js';
import type { Account } from '../../accounts/index.js';
import { CATEGORY_NUMBERS, type Template } from '../domain/template.js';
import type { TemplateRecord } from './list-account-templates.query.js';

/** A template as its owner sees it (spec 2.1). */
export const templateRecord = (template: Template, owner: Pick<Account, 'username' | 'timeZone'>): TemplateRecord => ({
  id: template.id,
  username: owner.username,
  template_name: template.name,
  status: template.status,
  category: CATEGORY_NUMBERS[template.category],
  language: template.language.id,
  header_area_type: template.headerAreaType,
  header_media_type: template.headerMediaType,
  template_body: template.body,
  template_footer: template.footer,
  quick_replies: JSON.stringify(template.quickReplies),
  created_at: dateTime(template.createdAt, owner.timeZone),
});
