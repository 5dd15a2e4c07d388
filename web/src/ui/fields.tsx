import { type ComponentProps, type ReactNode, useId } from 'react';

/** What all fields share. `error` is shown at the field and read out with it. */
export interface FieldProperties {
  label: string;
  hint?: ReactNode;
  error?: string | false | undefined;
}

/** Label, hint and error of a field; the field itself gets what names and describes it. */
export function Field({
  label,
  hint,
  error,
  children,
}: FieldProperties & {
  children: (names: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': true | undefined;
  }) => ReactNode;
}) {
  const id = useId();
  const isFaulty = typeof error === 'string' && error !== '';
  const described = [hint === undefined ? '' : `${id}-hint`, isFaulty ? `${id}-error` : ''].join(' ').trim();
  return (
    <div className={isFaulty ? 'field faulty' : 'field'}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': isFaulty || undefined,
      })}
      {hint !== undefined && (
        <div id={`${id}-hint`} className="hint">
          {hint}
        </div>
      )}
      {isFaulty && (
        <div id={`${id}-error`} className="fault">
          {error}
        </div>
      )}
    </div>
  );
}

/** One line of text; `type` as of an input. Takes what `register` of react-hook-form gives. */
export function TextField({ label, hint, error, ...rest }: FieldProperties & ComponentProps<'input'>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(names) => <input type="text" {...rest} {...names} />}
    </Field>
  );
}

/** Several lines of text. */
export function TextArea({ label, hint, error, ...rest }: FieldProperties & ComponentProps<'textarea'>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(names) => <textarea rows={4} {...rest} {...names} />}
    </Field>
  );
}

/** One of several; the options are `<option>` elements, or `[value, text]` pairs. */
export function SelectField({
  label,
  hint,
  error,
  options,
  children,
  ...rest
}: FieldProperties & ComponentProps<'select'> & { options?: readonly (readonly [value: string, text: string])[] }) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(names) => (
        <select {...rest} {...names}>
          {options?.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
          {children}
        </select>
      )}
    </Field>
  );
}

/** Yes or no. */
export function CheckField({ label, hint, error, ...rest }: FieldProperties & ComponentProps<'input'>) {
  const id = useId();
  return (
    <div className="field check">
      <input type="checkbox" {...rest} id={id} aria-describedby={hint === undefined ? undefined : `${id}-hint`} />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <div id={`${id}-hint`} className="hint">
          {hint}
        </div>
      )}
      {typeof error === 'string' && <div className="fault">{error}</div>}
    </div>
  );
}

/** One of a few, all in sight. Spread `register` of react-hook-form, or give `value` and `onChange`. */
export function RadioField({
  label,
  hint,
  error,
  options,
  value,
  ...rest
}: FieldProperties & ComponentProps<'input'> & { options: readonly (readonly [value: string, text: string])[] }) {
  const id = useId();
  return (
    <fieldset className="field radio" aria-describedby={hint === undefined ? undefined : `${id}-hint`}>
      <legend>{label}</legend>
      <div className="choices">
        {options.map(([option, text]) => (
          <label key={option}>
            <input
              type="radio"
              {...rest}
              value={option}
              {...(value === undefined ? {} : { checked: value === option })}
            />
            {text}
          </label>
        ))}
      </div>
      {hint !== undefined && (
        <div id={`${id}-hint`} className="hint">
          {hint}
        </div>
      )}
      {typeof error === 'string' && <div className="fault">{error}</div>}
    </fieldset>
  );
}

/** A file of this machine. */
export function FileField({
  label,
  hint,
  error,
  onFile,
  ...rest
}: FieldProperties & Omit<ComponentProps<'input'>, 'onChange'> & { onFile: (file: File | null) => void }) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(names) => (
        <input type="file" {...rest} {...names} onChange={(event) => onFile(event.currentTarget.files?.[0] ?? null)} />
      )}
    </Field>
  );
}
