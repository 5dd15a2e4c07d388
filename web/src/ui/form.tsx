import { type ReactNode, useState } from 'react';
import { type DefaultValues, type FieldValues, type Path, useForm, type UseFormReturn } from 'react-hook-form';
import type { Right } from '../app/page-definition.js';
import { useMay } from '../app/session.js';
import { type Problem, problemOf } from '../api/problem.js';
import { Button } from './button.js';
import { faultAtField } from './fault-words.js';

/** A form whose refusals by the API stand where they belong. */
export interface ServerForm<Values extends FieldValues> extends UseFormReturn<Values> {
  /** what the API refused, where it named no field of the form */
  problem: Problem | null;
  /** runs `work` with valid values; a refusal goes to its field, or above the button */
  submit: (work: (values: Values) => Promise<unknown>) => (event: React.SyntheticEvent) => void;
  /** for a field: the text of its error */
  errorOf: (name: Path<Values>) => string | undefined;
}

/**
 * react-hook-form, with the errors of the API: an answer with `field` (or one that begins with the name of a field)
 * stands at that field, which gets the focus.
 */
export function useServerForm<Values extends FieldValues>(defaultValues: DefaultValues<Values>): ServerForm<Values> {
  const form = useForm<Values>({ defaultValues });
  const [problem, setProblem] = useState<Problem | null>(null);
  const submit = (work: (values: Values) => Promise<unknown>) => (event: React.SyntheticEvent) => {
    setProblem(null);
    // what was refused where no field is registered, such as a list of rows, would hold every further try
    form.clearErrors();
    const run = form.handleSubmit(async (values) => {
      try {
        await work(values);
      } catch (error) {
        const fault = problemOf(error);
        const field = fieldOf(fault, (name) => isInput(form.getValues(name as Path<Values>)));
        if (field === null) setProblem(fault);
        else form.setError(field as Path<Values>, { message: faultAtField(fault.message) }, { shouldFocus: true });
      }
    });
    void run(event);
  };
  return {
    ...form,
    // a getter of react-hook-form: reading it is what subscribes
    formState: form.formState,
    problem,
    submit,
    errorOf: (name) => messageOf(form.getFieldState(name, form.formState).error),
  };
}

function messageOf(error: { type?: unknown; message?: string } | undefined): string | undefined {
  if (error === undefined) return undefined;
  if (error.message !== undefined && error.message !== '') return error.message;
  return error.type === 'required' ? 'Required' : 'Not valid';
}

/** A value that stands in a field of the form, and not a group of fields: a refusal of the group stands above the button. */
const isInput = (value: unknown): boolean =>
  value !== undefined && (value === null || typeof value !== 'object' || Array.isArray(value));

/** The field of the form that a refusal is about: named by it, or by the first word of its text. */
function fieldOf({ field, message }: Problem, isOne: (name: string) => boolean): string | null {
  const names = [field, message.split(/[\s:[]/)[0]].flatMap((name) =>
    name ? [name, name.split(/[.[]/)[0] ?? name] : [],
  );
  return names.find(isOne) ?? null;
}

interface Properties<Values extends FieldValues> {
  form: ServerForm<Values>;
  onSubmit: (values: Values) => Promise<unknown>;
  /** of the button that sends it */
  submitLabel: string;
  danger?: boolean;
  /** the form is there only for who has (one of) this */
  needs?: Right | readonly Right[];
  /** further buttons beside it */
  actions?: ReactNode;
  children: ReactNode;
}

/** The form itself: fields, what was refused, and the button that sends it. */
export function Form<Values extends FieldValues>({
  form,
  onSubmit,
  submitLabel,
  danger = false,
  needs,
  actions,
  children,
}: Properties<Values>) {
  if (!useMay(needs)) return null;
  return (
    <form className="form" noValidate onSubmit={form.submit(onSubmit)}>
      {children}
      <FormProblem problem={form.problem} />
      <div className="buttons">
        <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={form.formState.isSubmitting}>
          {submitLabel}
        </Button>
        {actions}
      </div>
    </form>
  );
}

/** What the API refused, with its hint. */
export function FormProblem({ problem }: { problem: Problem | null }) {
  return (
    <div role="alert">
      {problem !== null && (
        <div className="fault">
          {problem.message}
          {problem.hint !== null && <span className="muted"> {problem.hint}</span>}
        </div>
      )}
    </div>
  );
}
