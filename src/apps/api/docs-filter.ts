/** What Swagger UI hands a filter: the groups of the page, as immutable.js keeps them. */
interface Collection<Value> {
  get(key: string): unknown;
  getIn(path: string[]): unknown;
  set(key: string, value: unknown): this;
  map(change: (value: Value, key: string) => Value): this;
  filter(holds: (value: Value) => boolean): this;
  size: number;
}
type Operations = Collection<Collection<unknown>>;

/**
 * Plugin of Swagger UI: its filter knows groups alone; this one finds operations by path, method, id, and every word of
 * what is said of them or their group. Swagger UI gets it as text, so it uses nothing that stands outside of it.
 */
export function findOperations(): object {
  return {
    fn: {
      opsFilter(groups: Collection<Collection<unknown>>, phrase: string) {
        const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
        const has = (...texts: unknown[]): boolean => {
          const text = texts.join(' ').toLowerCase();
          return words.every((word) => text.includes(word));
        };
        return groups
          .map((group, name) => {
            const about = [name, group.getIn(['tagDetails', 'description'])];
            const operations = group.get('operations') as Operations;
            const found = operations.filter((operation) =>
              has(
                ...about,
                operation.get('method'),
                operation.get('path'),
                ...['operationId', 'summary', 'description'].map((field) => operation.getIn(['operation', field])),
              ),
            );
            return group.set('operations', found);
          })
          .filter((group) => (group.get('operations') as Operations).size > 0);
      },
    },
  };
}
