// Declarations of Go files as go/parser sees them.
// go run read.go FILE…  A line a piece: file, name, first byte, byte behind the last.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
)

type reader struct {
	file   string
	source []byte
	set    *token.FileSet
	tree   *ast.File
}

func main() {
	for _, file := range os.Args[1:] {
		source, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			fmt.Printf("%s\t!\n", file)
			continue
		}
		r := reader{file, source, set, tree}
		for _, decl := range tree.Decls {
			r.declaration(decl, nil, false)
		}
	}
}

func (r reader) at(pos token.Pos) int { return r.set.PositionFor(pos, false).Offset }

func (r reader) note(path []string, name string, start, end int) {
	if name != "_" {
		fmt.Printf("%s\t%s\t%d\t%d\n", r.file, strings.Join(append(path[:len(path):len(path)], name), "."), start, end)
	}
}

// The first byte of a declaration with the directives directly above it.
func (r reader) start(pos token.Pos) int {
	first := r.at(pos)
	lines := bytes.Split(r.source[:first], []byte("\n"))
	if strings.TrimSpace(string(lines[len(lines)-1])) != "" {
		return first
	}
	at := first - len(lines[len(lines)-1])
	for i := len(lines) - 2; i >= 0; i-- {
		text := strings.TrimSpace(string(lines[i]))
		if !strings.HasPrefix(text, "//") {
			break
		}
		at -= len(lines[i]) + 1
		if strings.HasPrefix(text, "//go:") || strings.HasPrefix(text, "//export ") {
			first = at + bytes.Index(lines[i], []byte("//"))
		}
	}
	return first
}

func (r reader) declaration(decl ast.Decl, path []string, inCode bool) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		name := decl.Name.Name
		if decl.Recv != nil && len(decl.Recv.List) > 0 {
			name = receiver(decl.Recv.List[0].Type) + "." + name
		}
		r.note(path, name, r.start(decl.Pos()), r.at(decl.End()))
		if name != "_" {
			path = append(path[:len(path):len(path)], name)
		}
		r.code(decl.Type, path, true)
		if decl.Body != nil {
			r.code(decl.Body, path, true)
		}
	case *ast.GenDecl:
		isOne := !decl.Lparen.IsValid() || (decl.Tok == token.CONST && isChained(decl))
		for _, spec := range decl.Specs {
			from, to := r.start(spec.Pos()), r.at(spec.End())
			if isOne {
				from, to = r.start(decl.Pos()), r.at(decl.End())
			}
			r.spec(spec, path, inCode, from, to)
		}
	}
}

// Whether a line of the list gives another its value.
func isChained(decl *ast.GenDecl) bool {
	found := false
	for _, spec := range decl.Specs {
		spec := spec.(*ast.ValueSpec)
		found = found || len(spec.Values) == 0
		ast.Inspect(spec, func(node ast.Node) bool {
			name, ok := node.(*ast.Ident)
			found = found || (ok && name.Name == "iota")
			return true
		})
	}
	return found
}

func (r reader) spec(spec ast.Spec, path []string, inCode bool, from, to int) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		r.note(path, spec.Name.Name, from, to)
		r.code(spec.Type, append(path[:len(path):len(path)], spec.Name.Name), false)
	case *ast.ValueSpec:
		names := []string{}
		for _, name := range spec.Names {
			if !inCode && name.Name != "_" {
				r.note(path, name.Name, from, to)
				names = append(names, name.Name)
			}
		}
		if len(names) == 1 {
			path = append(path[:len(path):len(path)], names[0])
		}
		for _, value := range spec.Values {
			r.code(value, path, inCode)
		}
	}
}

// Declarations inside code or inside a value.
func (r reader) code(within ast.Node, path []string, inCode bool) {
	ast.Inspect(within, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.DeclStmt:
			r.declaration(node.Decl, path, inCode)
			return false
		case *ast.FuncLit:
			if !inCode {
				r.code(node.Body, path, true)
				return false
			}
		}
		return true
	})
}

func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.ParenExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}
