import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

// Texts stored as bytes: no collation treats two of them as equal, trailing spaces included.
const asBytes = {
  to: (text: unknown): unknown => (typeof text === 'string' ? Buffer.from(text) : text),
  from: (bytes: Buffer | string): string => bytes.toString(),
};

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

  /** at most 512 code points of 4 bytes */
  @Column({ type: 'varbinary', length: 2048, transformer: asBytes })
  name!: string;

  /** 1 marketing, 2 utility, 3 auth */
  @Column({ type: 'tinyint', unsigned: true })
  category!: number;

  @Column({ name: 'language_id', type: 'tinyint', unsigned: true })
  languageId!: number;

  /** code of a language without an id; null = `languageId` decides */
  @Column({ name: 'language_code', type: 'varchar', length: 8, ...ASCII, nullable: true })
  languageCode!: string | null;

  /** before the provider changed it; null = it has not, or the owner has changed the template since */
  @Column({ name: 'previous_category', type: 'tinyint', unsigned: true, nullable: true })
  previousCategory!: number | null;

  @Column({ name: 'category_changed_at', type: 'datetime', precision: 3, nullable: true })
  categoryChangedAt!: Date | null;

  /** the provider has announced it */
  @Column({ name: 'upcoming_category', type: 'tinyint', unsigned: true, nullable: true })
  upcomingCategory!: number | null;

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

  @Column({ name: 'body_examples', type: 'longtext' })
  bodyExamples!: string;

  @Column({ type: 'text' })
  footer!: string;

  @Column({ name: 'quick_replies', type: 'longtext' })
  quickReplies!: string;

  /** JSON list; null = none */
  @Column({ type: 'longtext', nullable: true })
  buttons!: string | null;

  @Column({ name: 'upstream_id', type: 'varchar', length: 64, ...ASCII, nullable: true })
  upstreamId!: string | null;

  @Column({ type: 'int', unsigned: true, default: 1 })
  revision!: number;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}

/** Controller queue (reference/templates#controller-queue): one row per template. */
@Entity('template_controllers')
@Index('uq_template_controllers_template', ['templateId'], { unique: true })
export class TemplateControllerEntity {
  @PrimaryGeneratedColumn({ type: 'int', unsigned: true })
  id!: number;

  @Column({ name: 'template_id', type: 'int', unsigned: true })
  templateId!: number;

  @Column({ type: 'varchar', length: 16, ...ASCII })
  type!: string;

  @Column({ name: 'controller_status', type: 'varchar', length: 8, ...ASCII })
  controllerStatus!: string;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}

/** A change to submit to the provider; a worker claims it. */
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

  /** `submit` the current content, or `remove` the template named below */
  @Column({ type: 'varchar', length: 8, ...ASCII })
  action!: string;

  /** for `remove`, else empty */
  @Column({ name: 'upstream_id', type: 'varchar', length: 64, ...ASCII })
  upstreamId!: string;

  @Column({ type: 'varbinary', length: 2048, transformer: asBytes })
  name!: string;

  /** for `remove`: short code, because the provider has one template per name and language; else empty */
  @Column({ type: 'varchar', length: 8, ...ASCII, default: '' })
  language!: string;

  /** new after each change by the owner, so that a late answer cannot settle newer content */
  @Column({ type: 'varchar', length: 36, ...ASCII })
  revision!: string;

  /** the last revision that may have reached the provider */
  @Column({ name: 'left_revision', type: 'varchar', length: 36, ...ASCII, nullable: true })
  leftRevision!: string | null;

  @Column({ type: 'int', unsigned: true })
  attempts!: number;

  @Column({ name: 'due_at', type: 'datetime', precision: 3 })
  dueAt!: Date;
}

export const LONGEST_DELAY_MS = 3_600_000;

export const templateTables: readonly TableRule[] = [
  { table: 'templates', rule: 'kept', why: 'TEMPLATES_PER_ACCOUNT; the owner removes them' },
  { table: 'template_controllers', rule: 'kept', why: 'one of each template' },
  {
    table: 'template_submissions',
    rule: 'work',
    // a running submission must not become due early: a second worker would claim it
    moments: [{ column: 'due_at', longest: LONGEST_DELAY_MS }],
    why: 'the submission sweeper removes what the provider has received',
  },
];
