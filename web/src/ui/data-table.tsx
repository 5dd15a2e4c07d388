import { useNavigate } from '@tanstack/react-router';
import {
  createSortedRowModel,
  type ColumnDef,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useAddress } from './address.js';
import { Empty } from './empty.js';
import { Link } from './link.js';
import { Failed, type Loaded } from './load-state.js';
import { Pager, type PageFoot } from './pager.js';

/** A column of a DataTable. */
export interface Column<Row> {
  /** unique in the table, and its name in the address when it sorts */
  name: string;
  title: string;
  cell: (row: Row) => ReactNode;
  /** numbers stand at the end */
  align?: 'end';
  /** of complete lists: the table sorts by this value. The title becomes a button; the order stands in the address */
  sortBy?: (row: Row) => string | number;
  /** takes what room is left, and breaks long words */
  wide?: boolean;
}

interface Properties<Row> {
  /** what the rows are, for those who do not see the table: `Campaigns` */
  label: string;
  columns: readonly Column<Row>[];
  /** of React Query: rows alone, or a list answer with `data`, `total`, `next_cursor`, whose pages are kept in the address */
  query: Loaded<readonly Row[] | ({ data: readonly Row[] } & PageFoot)>;
  rowKey: (row: Row) => string | number;
  /** where a row leads: its first cell is the link, and a click anywhere on the row follows it */
  rowTo?: (row: Row) => string;
  /** what an empty list says */
  empty: { title: string; text?: ReactNode };
  /** the row that is chosen or new */
  isMarked?: (row: Row) => boolean;
}

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
});

/**
 * A dense table: loading, empty and failed states, pages by cursor in the address, rows that lead somewhere. On a narrow
 * screen each row is a card with the titles beside the values.
 */
export function DataTable<Row extends object>({
  label,
  columns,
  query,
  rowKey,
  rowTo,
  empty,
  isMarked,
}: Properties<Row>) {
  const [address, change] = useAddress();
  const navigate = useNavigate();
  const list = query.data;
  const rows = useMemo<Row[]>(() => [...(list === undefined ? [] : 'data' in list ? list.data : list)], [list]);
  const definitions = useMemo<ColumnDef<typeof features, Row>[]>(
    () =>
      columns.map(({ name, sortBy }) => ({
        id: name,
        accessorFn: sortBy ?? (() => null),
        enableSorting: sortBy !== undefined,
      })),
    [columns],
  );
  const sort = address['sort'] ?? '';
  const sorting = useMemo<SortingState>(() => {
    const id = sort.replace(/^-/, '');
    return columns.some((column) => column.name === id && column.sortBy !== undefined)
      ? [{ id, desc: sort.startsWith('-') }]
      : [];
  }, [columns, sort]);
  const table = useTable({
    features,
    columns: definitions,
    data: rows,
    getRowId: (row) => String(rowKey(row)),
    state: { sorting },
  });

  if (list === undefined) {
    if (query.error !== null && query.error !== undefined) {
      return <Failed error={query.error} isBusy={query.isFetching} onRetry={query.refetch} />;
    }
    return (
      <p className="loading" role="status">
        Loading…
      </p>
    );
  }
  const foot =
    'data' in list ? <Pager foot={list} shown={rows.length} isBusy={query.isFetching} label={label} /> : null;
  if (rows.length === 0) {
    return (
      <>
        <Empty title={empty.title}>{empty.text}</Empty>
        {foot}
      </>
    );
  }
  return (
    <>
      <div className="table-box" role="group" aria-label={label} tabIndex={rowTo === undefined ? 0 : undefined}>
        <table className={rowTo === undefined ? 'table' : 'table led'}>
          <caption className="unseen">{label}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <Heading
                  key={column.name}
                  column={column}
                  order={sorting.find(({ id }) => id === column.name)}
                  onSort={(next) => change({ sort: next })}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {table.getRowModel().rows.map(({ id, original: row }) => {
              const to = rowTo?.(row);
              return (
                <tr
                  key={id}
                  className={isMarked?.(row) === true ? 'marked' : undefined}
                  onClick={(event) => {
                    // the link of the first cell is the way for keyboards and readers; this is for pointers
                    if (to === undefined || isOfItsOwn(event.target)) return;
                    void navigate({ to });
                  }}
                >
                  {columns.map((column, at) => (
                    <td
                      key={column.name}
                      data-title={column.title}
                      className={[column.align === 'end' ? 'end' : '', column.wide === true ? 'wide' : '']
                        .join(' ')
                        .trim()}
                    >
                      {at === 0 && to !== undefined ? <Link to={to}>{column.cell(row)}</Link> : column.cell(row)}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {foot}
    </>
  );
}

/** A click on something that does something itself, or that ends a selection of text, is none on the row. */
function isOfItsOwn(target: EventTarget): boolean {
  if (target instanceof Element && target.closest('a, button, input, select, label, audio, summary') !== null)
    return true;
  return (getSelection()?.toString() ?? '') !== '';
}

function Heading<Row>({
  column: { name, title, align, sortBy },
  order,
  onSort,
}: {
  column: Column<Row>;
  order: { desc: boolean } | undefined;
  onSort: (sort: string | undefined) => void;
}) {
  const className = align === 'end' ? 'end' : undefined;
  if (sortBy === undefined) {
    return (
      <th scope="col" className={className}>
        {title}
      </th>
    );
  }
  const next = order === undefined ? name : order.desc ? undefined : `-${name}`;
  return (
    <th
      scope="col"
      className={className}
      aria-sort={order === undefined ? 'none' : order.desc ? 'descending' : 'ascending'}
    >
      <button type="button" className="sort" onClick={() => onSort(next)}>
        {title}
        {order !== undefined && (order.desc ? <ArrowDown size={13} aria-hidden /> : <ArrowUp size={13} aria-hidden />)}
      </button>
    </th>
  );
}
