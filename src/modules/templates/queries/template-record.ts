import { dateTime } from '../../../kernel/clock.js';
import type { Account } from '../../accounts/index.js';
import type { Template } from '../domain/template.js';
import { columnsOf } from '../persistence/template-rows.js';
import type { TemplateEntity } from '../persistence/template.entities.js';

/** One template of `templates.php` (reference/templates#template-record), in its order. */
export interface TemplateRecord {
  id: number;
  username: string;
  template_name: string;
  status: number;
  category: number;
  language: number;
  header_area_type: string;
  header_media_type: string;
  template_body: string;
  template_footer: string;
  /** JSON text: an array of { type, text } */
  quick_replies: string;
  /** YYYY-MM-DD HH:MM:SS in the owner's time zone */
  created_at: string;
}

type Owner = Pick<Account, 'username' | 'timeZone'>;
type Columns = Pick<TemplateEntity, keyof ReturnType<typeof columnsOf> | 'id' | 'status' | 'createdAt'>;

/**
 * A stored template as its owner sees it (reference/templates#template-record). Its JSON text goes out as it stands,
 * however large an old one is.
 */
export const storedRecord = (row: Columns, owner: Owner): TemplateRecord => ({
  id: row.id,
  username: owner.username,
  template_name: row.name,
  status: row.status,
  category: row.category,
  language: row.languageId,
  header_area_type: row.headerAreaType,
  header_media_type: row.headerMediaType,
  template_body: row.body,
  template_footer: row.footer,
  quick_replies: row.quickReplies,
  created_at: dateTime(row.createdAt, owner.timeZone),
});

/** The same of one that was just changed. */
export const templateRecord = (template: Template, owner: Owner): TemplateRecord =>
  storedRecord(
    { ...columnsOf(template), id: template.id, status: template.status, createdAt: template.createdAt },
    owner,
  );
