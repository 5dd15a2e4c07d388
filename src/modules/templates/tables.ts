import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

/** A text kept as its bytes: no collation of the database makes two of them equal, trailing spaces included. */
const asBytes = {
  to: (text: unknown): unknown => (typeof text === 'string' ? Buffer.from(text) : text),
  from: (bytes: Buffer | string): string => bytes.toString(),
};

/** A message template of an account. */
@Entity('templates')
@Index('uq_templates_name', ['accountId', 'name'], { unique: true })
@Index('ix_templates_name', ['name'])
@Index('ix_templates_status', ['status', 'id'])
@Index('ix_templates_upstream', ['upstreamId'])
export class TemplateEntity {
  @PrimaryGeneratedColumn({ type: 'int', unsigned: true })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** 512 code points of 4 bytes at most */
  @Column({ type: 'varbinary', length: 2048, transformer: asBytes })
  name!: string;

  /** 1 marketing, 2 utility, 3 auth */
  @Column({ type: 'tinyint', unsigned: true })
  category!: number;

  @Column({ name: 'language_id', type: 'tinyint', unsigned: true })
  languageId!: number;

  /** short code of a language that has no id; null = that of the id */
  @Column({ name: 'language_code', type: 'varchar', length: 8, ...ASCII, nullable: true })
  languageCode!: string | null;

  /** 0 draft, 1 approved, 2 rejected, 3 pending review, 4 paused, 5 disabled */
  @Column({ type: 'tinyint', unsigned: true })
  status!: number;

  @Column({ type: 'varchar', length: 500, nullable: true })
  reason!: string | null;

  @Column({ name: 'header_area_type', type: 'varchar', length: 8, ...ASCII })
  headerAreaType!: string;

  @Column({ name: 'header_media_type', type: 'varchar', length: 8, ...ASCII })
  headerMediaType!: string;

  @Column({ name: 'header_text', type: 'varchar', length: 60 })
  headerText!: string;

  @Column({ name: 'header_example_url', type: 'text', nullable: true })
  headerExampleUrl!: string | null;

  @Column({ type: 'text' })
  body!: string;

  /** JSON text: an array of texts */
  @Column({ name: 'body_examples', type: 'longtext' })
  bodyExamples!: string;

  @Column({ type: 'text' })
  footer!: string;

  /** JSON text: an array of { type, text } */
  @Column({ name: 'quick_replies', type: 'longtext' })
  quickReplies!: string;

  @Column({ name: 'upstream_id', type: 'varchar', length: 64, ...ASCII, nullable: true })
  upstreamId!: string | null;

  /** 1 at first, one more with each change of the owner's */
  @Column({ type: 'int', unsigned: true, default: 1 })
  revision!: number;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}

/** The controller queue (reference/templates#controller-queue): one row a template. */
@Entity('template_controllers')
@Index('uq_template_controllers_template', ['templateId'], { unique: true })
export class TemplateControllerEntity {
  @PrimaryGeneratedColumn({ type: 'int', unsigned: true })
  id!: number;

  @Column({ name: 'template_id', type: 'int', unsigned: true })
  templateId!: number;

  /** custom, customutility, customauth */
  @Column({ type: 'varchar', length: 16, ...ASCII })
  type!: string;

  /** pending, approved, rejected */
  @Column({ name: 'controller_status', type: 'varchar', length: 8, ...ASCII })
  controllerStatus!: string;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}

/** A change of a template that has yet to be submitted to the upstream; the worker takes it from here. */
@Entity('template_submissions')
@Index('uq_template_submissions_action', ['templateId', 'action', 'upstreamId', 'name', 'language'], { unique: true })
@Index('ix_template_submissions_due', ['dueAt'])
export class TemplateSubmissionEntity {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'template_id', type: 'int', unsigned: true })
  templateId!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** `submit` what stands in templates, or `remove` the template below */
  @Column({ type: 'varchar', length: 8, ...ASCII })
  action!: string;

  /** of `remove`: which one; empty for `submit` */
  @Column({ name: 'upstream_id', type: 'varchar', length: 64, ...ASCII })
  upstreamId!: string;

  @Column({ type: 'varbinary', length: 2048, transformer: asBytes })
  name!: string;

  /** of `remove`: short code, since the upstream has one template a name and language; empty for `submit` */
  @Column({ type: 'varchar', length: 8, ...ASCII, default: '' })
  language!: string;

  /** differs after every change of the owner's, so that an older answer does not settle a newer content */
  @Column({ type: 'varchar', length: 36, ...ASCII })
  revision!: string;

  /** the revision that last may have reached the upstream */
  @Column({ name: 'left_revision', type: 'varchar', length: 36, ...ASCII, nullable: true })
  leftRevision!: string | null;

  @Column({ type: 'int', unsigned: true })
  attempts!: number;

  @Column({ name: 'due_at', type: 'datetime', precision: 3 })
  dueAt!: Date;
}

export const LONGEST_DELAY_MS = 3_600_000;

/** What becomes of templates. */
export const templateTables: readonly TableRule[] = [
  { table: 'templates', rule: 'kept', why: 'TEMPLATES_PER_ACCOUNT; the owner removes them' },
  { table: 'template_controllers', rule: 'kept', why: 'one of each template' },
  {
    table: 'template_submissions',
    rule: 'work',
    // not a wait: one that a worker has under way would be taken by a second one
    moments: [{ column: 'due_at', longest: LONGEST_DELAY_MS }],
    why: 'the submission sweeper removes what the upstream has been told',
  },
];
