// Writes numeric constants of modules into the code that uses them, while the compiler emits it: `Op.RDMA_READ` becomes 5.
// JavaScript has no way to say that an import is constant. An engine therefore loads it from its module, checks the
// object's shape and loads the property, each time; an event of the simulator has dozens of them.
import ts from 'typescript';

const OPERATORS = new Map([
  [ts.SyntaxKind.PlusToken, (a, b) => a + b],
  [ts.SyntaxKind.MinusToken, (a, b) => a - b],
  [ts.SyntaxKind.AsteriskToken, (a, b) => a * b],
  [ts.SyntaxKind.SlashToken, (a, b) => a / b],
  [ts.SyntaxKind.AsteriskAsteriskToken, (a, b) => a ** b],
  [ts.SyntaxKind.LessThanLessThanToken, (a, b) => a << b],
  [ts.SyntaxKind.BarToken, (a, b) => a | b],
  [ts.SyntaxKind.AmpersandToken, (a, b) => a & b],
]);

/**
 * A transformer for `program.emit`. What counts as constant: a top-level `const` of numbers, operators and other
 * constants, and the properties of a top-level object that is declared `as const`.
 */
export function inlineConstants(checker) {
  /** By declaration: its value; undefined where it has none. */
  const values = new Map();

  /** The number that an expression always is; undefined where nothing says so. */
  function constantOf(node) {
    if (ts.isNumericLiteral(node)) return Number(node.text);
    if (ts.isParenthesizedExpression(node)) return constantOf(node.expression);
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
      const value = constantOf(node.operand);
      return value === undefined ? undefined : -value;
    }
    if (ts.isBinaryExpression(node)) {
      const operator = OPERATORS.get(node.operatorToken.kind);
      const [left, right] = operator === undefined ? [] : [constantOf(node.left), constantOf(node.right)];
      return left === undefined || right === undefined ? undefined : operator(left, right);
    }
    if (ts.isIdentifier(node)) return declaredValue(declarationOf(node));
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      const property = checker.getSymbolAtLocation(node.name)?.valueDeclaration;
      return isOfConstant(property, declarationOf(node.expression)) ? declaredValue(property) : undefined;
    }
    return undefined;
  }

  function declarationOf(identifier) {
    const symbol = checker.getSymbolAtLocation(identifier);
    if (symbol === undefined) return undefined;
    const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    return (isAlias ? checker.getAliasedSymbol(symbol) : symbol).valueDeclaration;
  }

  function declaredValue(declaration) {
    if (declaration === undefined) return undefined;
    if (!values.has(declaration)) {
      const isConstant = isTopLevelConst(declaration) || ts.isPropertyAssignment(declaration);
      // Set first: a constant that is declared by itself has no value.
      values.set(declaration, undefined);
      if (isConstant && declaration.initializer !== undefined)
        values.set(declaration, constantOf(declaration.initializer));
    }
    return values.get(declaration);
  }

  function inlined(node) {
    const value = isUse(node) ? constantOf(node) : undefined;
    return value === undefined || !Number.isFinite(value) ? undefined : literal(value, node);
  }

  return (context) => (sourceFile) => {
    const visit = (node) => {
      if (ts.isTypeNode(node)) return node;
      if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node) || ts.isBinaryExpression(node)) {
        const constant = inlined(node);
        if (constant !== undefined) return constant;
      }
      return ts.visitEachChild(node, visit, context);
    };
    return ts.visitNode(sourceFile, visit);
  };
}

/** Whether a property stands in the object of this constant, which is declared `as const`. */
function isOfConstant(property, constant) {
  if (property === undefined || constant === undefined || !isTopLevelConst(constant)) return false;
  let { initializer } = constant;
  if (initializer !== undefined && ts.isSatisfiesExpression(initializer))
    initializer = initializer.expression;
  return initializer !== undefined && isAsConst(initializer) && property.parent === initializer.expression;
}

function isAsConst(node) {
  return ts.isAsExpression(node) && ts.isConstTypeReference(node.type);
}

function isTopLevelConst(declaration) {
  return (
    ts.isVariableDeclaration(declaration) &&
    ts.isIdentifier(declaration.name) &&
    (declaration.parent.flags & ts.NodeFlags.Const) !== 0 &&
    ts.isSourceFile(declaration.parent.parent.parent)
  );
}

/** Whether a node is read as a value, and does not name something. */
function isUse(node) {
  const { parent } = node;
  if (parent === undefined || parent.name === node || parent.propertyName === node) return false;
  return !(ts.isExportSpecifier(parent) || ts.isExportAssignment(parent) || ts.isJsxAttribute(parent));
}

/** A number in the place of an expression, with what stood there as a comment. */
function literal(value, node) {
  const { factory } = ts;
  const isNegative = value < 0 || Object.is(value, -0);
  const number = factory.createNumericLiteral(Math.abs(value));
  const expression = isNegative
    ? factory.createParenthesizedExpression(
        factory.createPrefixUnaryExpression(ts.SyntaxKind.MinusToken, number),
      )
    : ts.isPropertyAccessExpression(node.parent)
      ? factory.createParenthesizedExpression(number)
      : number;
  const comment = ` ${node.getText().replaceAll('*/', '').replace(/\s+/g, ' ')} `;
  return ts.addSyntheticTrailingComment(expression, ts.SyntaxKind.MultiLineCommentTrivia, comment);
}
