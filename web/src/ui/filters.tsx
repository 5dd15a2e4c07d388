import { Search as SearchIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useAddress } from './address.js';
import { Button } from './button.js';
import { Field, SelectField } from './fields.js';

/** A filter of a list, kept in the address under `name`. */
export type Filter =
  | { name: string; label: string; kind: 'search'; placeholder?: string }
  | { name: string; label: string; kind: 'date' }
  | {
      name: string;
      label: string;
      kind: 'choice';
      options: readonly (readonly [value: string, text: string])[];
      /** the option that holds without a choice, where one always does; else `Any` does */
      usual?: string;
      /** filters that mean something else, or nothing, with another choice */
      clears?: readonly string[];
    };

const TYPING_MS = 350;

/** Filters above a list. A change begins the list at its first page again. */
export function Filters({ filters }: { filters: readonly Filter[] }) {
  const [values, change] = useAddress();
  const set = (filter: Filter, value: string) => {
    const cleared = filter.kind === 'choice' ? (filter.clears ?? []) : [];
    change({
      ...Object.fromEntries(cleared.map((name) => [name, undefined])),
      [filter.name]: value === '' ? undefined : value,
      cursor: undefined,
      page: undefined,
    });
  };
  const isAny = filters.some(({ name }) => (values[name] ?? '') !== '');
  return (
    <search className="filters">
      {filters.map((filter) => (
        <FilterField
          key={filter.name}
          filter={filter}
          value={values[filter.name] ?? ''}
          onChange={(value) => set(filter, value)}
        />
      ))}
      {isAny && (
        <Button
          onClick={() =>
            change({
              ...Object.fromEntries(filters.map(({ name }) => [name, undefined])),
              cursor: undefined,
              page: undefined,
            })
          }
        >
          Clear filters
        </Button>
      )}
    </search>
  );
}

function FilterField({ filter, value, onChange }: { filter: Filter; value: string; onChange: (v: string) => void }) {
  if (filter.kind === 'search') return <Typed filter={filter} value={value} onChange={onChange} />;
  if (filter.kind === 'date') {
    return (
      <Field label={filter.label}>
        {(names) => (
          <input type="date" {...names} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
        )}
      </Field>
    );
  }
  const { label, options, usual } = filter;
  return (
    <SelectField
      label={label}
      value={value === '' ? (usual ?? '') : value}
      onChange={({ currentTarget: { value: chosen } }) => onChange(chosen === usual ? '' : chosen)}
      options={usual === undefined ? [['', 'Any'], ...options] : options}
    />
  );
}

/** Looks when the typing rests, or at Enter. */
function Typed({ filter, value, onChange }: { filter: Filter; value: string; onChange: (v: string) => void }) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    // the address has changed under it
    setKnown(value);
    setText(value);
  }
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <Field label={filter.label}>
      {(names) => (
        <span className="search-field">
          <SearchIcon size={15} aria-hidden />
          <input
            type="search"
            {...names}
            placeholder={'placeholder' in filter ? filter.placeholder : undefined}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') onChange(text.trim());
            }}
          />
        </span>
      )}
    </Field>
  );
}
