import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { ReadDatabase } from '../../platform/database/index.js';
import { USUAL_LOCALE, USUAL_TEXT } from './verification-request.js';
import { MOST_TEXTS, textErrors } from './verifications.errors.js';

export interface VerificationText {
  name: string;
  /** lower-case, such as `en` or `pt-br` */
  locale: string;
  /** with `{code}`, and where it wants `{app}` and `{minutes}` */
  text: string;
}

/** Texts until staff put others of the same name and locale. */
export const BUILT_IN: readonly VerificationText[] = Object.entries({
  en: '{code} is your {app} code. It expires in {minutes} minutes. Do not share it.',
  de: '{code} ist Ihr Code für {app}. Er gilt {minutes} Minuten. Geben Sie ihn nicht weiter.',
  es: '{code} es tu código de {app}. Vence en {minutes} minutos. No lo compartas.',
  fr: '{code} est votre code {app}. Il expire dans {minutes} minutes. Ne le partagez pas.',
  hi: '{code} आपका {app} कोड है। यह {minutes} मिनट तक मान्य है। इसे किसी को न बताएं।',
  pt: '{code} é o seu código {app}. Expira em {minutes} minutos. Não o partilhe.',
}).map(([locale, text]) => ({ name: USUAL_TEXT, locale, text }));

/** The text of one person. @param values without their braces */
export const filledText = (text: string, values: Readonly<Record<'code' | 'app' | 'minutes', string>>): string =>
  text.replace(/\{(code|app|minutes)\}/g, (_, name: keyof typeof values) => values[name]);

/** The operator's texts of verifications, by name and locale. */
@Injectable()
export class VerificationTexts {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly reads: ReadDatabase,
  ) {}

  /** The text of a name in a locale, else in its language, else in English; null = nothing has this name. */
  async find(name: string, locale: string): Promise<VerificationText | null> {
    const wanted = [locale, locale.split('-')[0] ?? locale, USUAL_LOCALE];
    const stored: VerificationText[] = await this.dataSource.query(
      'SELECT name, locale, text FROM verification_texts WHERE name = ? AND locale IN (?) LIMIT 3',
      [name, wanted],
    );
    const all = [...stored, ...BUILT_IN.filter((text) => text.name === name)];
    for (const one of wanted) {
      const found = all.find((text) => text.locale === one);
      if (found) return found;
    }
    return null;
  }

  /** All texts that a verification may name, by name and locale. */
  async all(): Promise<VerificationText[]> {
    const stored: VerificationText[] = await this.reads.query(
      `SELECT name, locale, text FROM verification_texts ORDER BY name, locale LIMIT ${MOST_TEXTS}`,
    );
    const keyOf = ({ name, locale }: VerificationText): string => `${name} ${locale}`;
    const own = new Set(stored.map(keyOf));
    return [...stored, ...BUILT_IN.filter((text) => !own.has(keyOf(text)))].sort((a, b) =>
      keyOf(a) < keyOf(b) ? -1 : 1,
    );
  }

  /** @throws AppError invalid over `MOST_TEXTS` */
  async put(tx: EntityManager, { name, locale, text }: VerificationText): Promise<void> {
    await tx.query(
      'INSERT INTO verification_texts (name, locale, text) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE text = VALUES(text)',
      [name, locale, text],
    );
    const [row] = await tx.query<{ total: string }[]>('SELECT COUNT(*) AS total FROM verification_texts LIMIT 1');
    if (Number(row?.total) > MOST_TEXTS) throw textErrors.tooMany();
  }

  /** @returns whether there was one */
  async remove(tx: EntityManager, name: string, locale: string): Promise<boolean> {
    const { affectedRows } = await tx.query<{ affectedRows: number }>(
      'DELETE FROM verification_texts WHERE name = ? AND locale = ?',
      [name, locale],
    );
    return affectedRows > 0;
  }
}
