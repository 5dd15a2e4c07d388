import ts from 'typescript';
import { ROOT } from './house.js';

/** A function of the sources, and what it does with the database by itself. */
interface Known {
  node: ts.FunctionLikeDeclaration;
  /** where it touches the pool itself */
  touches: ts.Node[];
  calls: { call: ts.CallExpression; targets: ts.FunctionLikeDeclaration[] }[];
  /** a parameter that stands for the pool when it is left out: its index */
  defaultsToPool: number | null;
}

const POOLS = new Set(['DataSource', 'Repository', 'ReadDatabase', 'ReadSession', 'ReadSource']);

/** The sources as TypeScript understands them: who calls whom, and who ends at the pool. */
export class PoolReach {
  private readonly checker: ts.TypeChecker;
  private readonly known = new Map<ts.Node, Known>();
  private readonly implementers = new Map<ts.Symbol, ts.ClassDeclaration[]>();
  private readonly reaching = new Set<ts.Node>();

  constructor() {
    const config = ts.getParsedCommandLineOfConfigFile(
      `${ROOT}tsconfig.json`,
      {},
      { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
    );
    if (!config) throw new Error('tsconfig.json could not be read');
    const program = ts.createProgram(config.fileNames, config.options);
    this.checker = program.getTypeChecker();
    const files = program
      .getSourceFiles()
      .filter((file) => file.fileName.startsWith(`${ROOT}src/`) && !file.fileName.endsWith('.spec.ts'));
    for (const file of files) this.learnClasses(file);
    for (const file of files) this.learn(file, []);
    this.spread();
  }

  /** Where code that was given a transaction reaches the pool, as "path:line call". */
  faults(): string[] {
    const found = [...this.known.values()]
      .filter(({ node }) => this.isGivenTransaction(node))
      .flatMap(({ touches, calls }) => [
        ...touches,
        ...calls
          .filter(({ call, targets }) => targets.some((target) => this.reaches(target, call)))
          .map(({ call }) => call),
      ]);
    return [...new Set(found.map(placeOf))].sort();
  }

  /** How many functions were looked at, and how many of them have a transaction. */
  get size(): { functions: number; inTransactions: number; reaching: number } {
    const all = [...this.known.values()];
    const inTransactions = all.filter(({ node }) => this.isGivenTransaction(node)).length;
    return { functions: all.length, inTransactions, reaching: this.reaching.size };
  }

  private isGivenTransaction(node: ts.FunctionLikeDeclaration): boolean {
    return node.parameters.some((parameter) => this.typeName(parameter) === 'EntityManager');
  }

  private learnClasses(node: ts.Node): void {
    if (ts.isClassDeclaration(node)) {
      for (const { expression } of (node.heritageClauses ?? []).flatMap(({ types }) => [...types])) {
        const symbol = this.checker.getTypeAtLocation(expression).getSymbol();
        if (symbol) this.implementers.set(symbol, [...(this.implementers.get(symbol) ?? []), node]);
      }
    }
    ts.forEachChild(node, (child) => this.learnClasses(child));
  }

  /** @param around the functions that hold this node, the outermost first: what a callback does, its function does */
  private learn(node: ts.Node, around: readonly Known[]): void {
    let inside = around;
    if (isFunction(node)) {
      const known: Known = { node, touches: [], calls: [], defaultsToPool: null };
      this.known.set(node, known);
      node.parameters.forEach((parameter, index) => {
        if (parameter.initializer && this.mentionsPool(parameter.initializer)) known.defaultsToPool = index;
      });
      inside = [...around, known];
      if (node.body) this.learn(node.body, inside);
      return;
    }
    if (this.isPool(node)) for (const known of inside) known.touches.push(node);
    if (ts.isCallExpression(node)) {
      const targets = this.targetsOf(node);
      for (const known of inside) known.calls.push({ call: node, targets });
      // What `afterCommit` is given runs when the transaction is over.
      if (node.expression.getText() === 'afterCommit') inside = [];
    }
    ts.forEachChild(node, (child) => this.learn(child, inside));
  }

  /** `this.dataSource`, `this.templates` and their like: not what was asked of a transaction. */
  private isPool(node: ts.Node): boolean {
    if (!ts.isPropertyAccessExpression(node) || node.expression.kind !== ts.SyntaxKind.ThisKeyword) return false;
    return POOLS.has(this.typeName(node));
  }

  /** `DataSource` of a `Pick<DataSource, …>` too. */
  private typeName(node: ts.Node): string {
    const type = this.checker.getTypeAtLocation(node);
    const whole = type.aliasSymbol?.name === 'Pick' ? type.aliasTypeArguments?.[0] : type;
    return whole?.getSymbol()?.name ?? '';
  }

  private mentionsPool(node: ts.Node): boolean {
    return this.isPool(node) || (ts.forEachChild(node, (child) => this.mentionsPool(child) || undefined) ?? false);
  }

  private targetsOf(call: ts.CallExpression): ts.FunctionLikeDeclaration[] {
    const declaration = this.checker.getResolvedSignature(call)?.declaration;
    if (!declaration || !ts.isFunctionLike(declaration)) return [];
    if (isFunction(declaration) && declaration.body) return [declaration];
    const owner = declaration.parent;
    const name = declaration.name?.getText();
    if (name === undefined || !(ts.isInterfaceDeclaration(owner) || ts.isClassDeclaration(owner))) return [];
    const symbol = this.checker.getTypeAtLocation(owner).symbol;
    return (this.implementers.get(symbol) ?? []).flatMap(({ members }) =>
      members.filter(
        (member): member is ts.MethodDeclaration => ts.isMethodDeclaration(member) && member.name.getText() === name,
      ),
    );
  }

  /** Whoever calls what reaches the pool reaches it too, until nothing new is found. */
  private spread(): void {
    for (let before = -1; before !== this.reaching.size;) {
      before = this.reaching.size;
      for (const { node, touches, calls } of this.known.values()) {
        if (
          touches.length > 0 ||
          calls.some(({ call, targets }) => targets.some((target) => this.reaches(target, call)))
        ) {
          this.reaching.add(node);
        }
      }
    }
  }

  private reaches(target: ts.FunctionLikeDeclaration, call: ts.CallExpression): boolean {
    const missing = this.known.get(target)?.defaultsToPool ?? null;
    return this.reaching.has(target) || (missing !== null && call.arguments.length <= missing);
  }
}

const isFunction = (node: ts.Node): node is ts.FunctionLikeDeclaration =>
  ts.isFunctionDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isArrowFunction(node) ||
  ts.isFunctionExpression(node) ||
  ts.isGetAccessor(node) ||
  ts.isConstructorDeclaration(node);

function placeOf(node: ts.Node): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  const text = (ts.isCallExpression(node) ? node.expression : node).getText().replaceAll(/\s+/g, ' ');
  return `${file.fileName.slice(ROOT.length)}:${line + 1} ${text}`;
}
