// Declarations of TypeScript and JavaScript files as the TypeScript compiler sees them.
// node read.js FILE…  (NODE_PATH must lead to `typescript`.) A line a piece: file, name, first byte, byte behind the last.
"use strict";
const ts = require("typescript");
const fs = require("fs");

const plainName = (name) => {
  if (!name || ts.isComputedPropertyName(name)) return null;
  return ts.isStringLiteral(name) ? name.getText().slice(1, -1) : name.getText();
};

const boundNames = (name) => {
  if (ts.isIdentifier(name)) return [name.getText()];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []));
};

const isHeld = (object) => {
  let node = object.parent;
  while (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) node = node.parent;
  if (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)) return true;
  if (ts.isExportAssignment(node)) return !node.isExportEquals;
  return ts.isBinaryExpression(node) && /^(module\.exports|exports\.)/.test(node.left.getText());
};

const exportedName = (node) => {
  const isSet = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  if (!isSet || !ts.isPropertyAccessExpression(node.left)) return null;
  return ["exports", "module.exports"].includes(node.left.expression.getText()) ? node.left.name.getText() : null;
};

function read(file) {
  const text = fs.readFileSync(file, "utf8");
  const kind = /x$/.test(file) ? ts.ScriptKind.TSX : /\.[mc]?js$/.test(file) ? ts.ScriptKind.JSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  if (source.parseDiagnostics.length) return console.log(`${file}\t!`);
  const at = (offset) => Buffer.byteLength(text.slice(0, offset));
  const note = (path, name, whole) => {
    if (!name || /[\s,]/.test(name)) return;
    console.log([file, [...path, name].join("."), at(whole.getStart(source, false)), at(whole.end)].join("\t"));
  };
  const each = (node, path, inCode) => ts.forEachChild(node, (child) => walk(child, path, inCode));
  const member = (node, name, path, inCode, isCode) => {
    note(path, name, node);
    each(node, name ? [...path, name] : path, isCode);
  };
  const within = (path, names) => (names.length === 1 ? [...path, names[0]] : path);

  function walk(node, path, inCode) {
    const isDefault = ts.canHaveModifiers(node) && node.modifiers?.some((word) => word.kind === ts.SyntaxKind.DefaultKeyword);
    if (isDefault) note(path, "default", node);
    const inner = isDefault && !node.name ? [...path, "default"] : path;
    switch (node.kind) {
      case ts.SyntaxKind.FunctionDeclaration:
        return member(node, node.name && node.name.getText(), inner, inCode, true);
      case ts.SyntaxKind.ClassDeclaration:
      case ts.SyntaxKind.InterfaceDeclaration:
      case ts.SyntaxKind.TypeAliasDeclaration:
      case ts.SyntaxKind.EnumDeclaration:
        return member(node, node.name && node.name.getText(), inner, inCode, false);
      case ts.SyntaxKind.ModuleDeclaration:
        return namespace(node, path);
      case ts.SyntaxKind.Constructor:
        return member(node, "constructor", path, inCode, true);
      case ts.SyntaxKind.MethodDeclaration:
      case ts.SyntaxKind.MethodSignature:
      case ts.SyntaxKind.GetAccessor:
      case ts.SyntaxKind.SetAccessor: {
        const isNameless = ts.isTypeLiteralNode(node.parent) || (ts.isObjectLiteralExpression(node.parent) && !isHeld(node.parent));
        return member(node, isNameless ? null : plainName(node.name), path, inCode, true);
      }
      case ts.SyntaxKind.PropertyDeclaration:
      case ts.SyntaxKind.PropertySignature: {
        const isNameless = inCode || ts.isTypeLiteralNode(node.parent);
        return member(node, isNameless ? null : plainName(node.name), path, inCode, inCode);
      }
      case ts.SyntaxKind.VariableStatement:
        for (const one of node.declarationList.declarations) {
          const names = inCode ? [] : boundNames(one.name);
          for (const name of names) note(path, name, node);
          each(one, within(path, names), inCode);
        }
        return;
      case ts.SyntaxKind.PropertyAssignment: {
        const value = node.initializer;
        const isFunction = ts.isFunctionExpression(value) || ts.isArrowFunction(value);
        const isUnit = !inCode && isFunction && isHeld(node.parent);
        return member(node, isUnit ? plainName(node.name) : null, path, inCode, inCode);
      }
      case ts.SyntaxKind.ExportAssignment:
        if (!node.isExportEquals) note(path, "default", node);
        return each(node, node.isExportEquals ? path : [...path, "default"], inCode);
      case ts.SyntaxKind.BinaryExpression: {
        const name = inCode ? null : exportedName(node);
        note(path, name, ts.isExpressionStatement(node.parent) ? node.parent : node);
        return each(node, name ? [...path, name] : path, inCode);
      }
      case ts.SyntaxKind.FunctionExpression:
      case ts.SyntaxKind.ArrowFunction:
      case ts.SyntaxKind.ClassStaticBlockDeclaration:
        return each(node, path, true);
      default:
        return each(node, path, inCode);
    }
  }

  // `namespace A.B` is one declaration; `declare global` names nothing
  function namespace(node, path) {
    const names = [];
    let innermost = node;
    for (; innermost.body && ts.isModuleDeclaration(innermost.body); innermost = innermost.body) names.push(plainName(innermost.name));
    names.push(plainName(innermost.name));
    if (node.flags & ts.NodeFlags.GlobalAugmentation) return each(node, path, false);
    note(path, names.join("."), node);
    each(innermost, [...path, names.join(".")], false);
  }

  each(source, [], false);
}

process.argv.slice(2).forEach(read);
