// Declarations of Java files as javac's parser sees them.
// java Read.java FILE…  A line a piece: file, name, first byte, byte behind the last.
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.element.Modifier;
import javax.tools.*;

public class Read extends TreeScanner<Void, List<String>> {
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final String file, text;
    /** Whether variables here are nobody's units. */
    private boolean inCode = false;

    Read(CompilationUnitTree unit, SourcePositions positions, String file, String text) {
        this.unit = unit;
        this.positions = positions;
        this.file = file;
        this.text = text;
    }

    public static void main(String[] files) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        for (String file : files) {
            boolean[] failed = {false};
            DiagnosticListener<JavaFileObject> listener =
                    found -> failed[0] |= found.getKind() == Diagnostic.Kind.ERROR;
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, listener, List.of("-proc:none"), null, manager.getJavaFileObjects(file));
            CompilationUnitTree unit = task.parse().iterator().next();
            if (failed[0]) {
                System.out.println(file + "\t!");
                continue;
            }
            String text = Files.readString(Path.of(file));
            new Read(unit, Trees.instance(task).getSourcePositions(), file, text).scan(unit.getTypeDecls(), List.of());
        }
    }

    private int start(Tree tree) {
        return (int) positions.getStartPosition(unit, tree);
    }

    private int end(Tree tree) {
        return (int) positions.getEndPosition(unit, tree);
    }

    private List<String> note(List<String> path, String name, int start, int end) {
        List<String> inner = new ArrayList<>(path);
        inner.add(name);
        System.out.println(String.join("\t", file, String.join(".", inner), bytes(start), bytes(end)));
        return inner;
    }

    private String bytes(int at) {
        return String.valueOf(text.substring(0, at).getBytes(StandardCharsets.UTF_8).length);
    }

    private void code(List<? extends Tree> trees, List<String> path, boolean isCode) {
        boolean before = inCode;
        inCode = isCode;
        scan(trees, path);
        inCode = before;
    }

    @Override
    public Void visitClass(ClassTree type, List<String> path) {
        String name = type.getSimpleName().toString();
        List<String> inner = name.isEmpty() ? path : note(path, name, start(type), end(type));
        boolean before = inCode;
        // the body of an anonymous class is where it stands; a class with a name is a place of its own
        inCode = inCode && name.isEmpty();
        List<Tree> members = new ArrayList<>(type.getMembers());
        if (type.getKind() == Tree.Kind.RECORD) {
            members.removeIf(member -> member instanceof VariableTree field
                    && !field.getModifiers().getFlags().contains(Modifier.STATIC));
        }
        for (int i = 0; i < members.size(); i++) {
            if (members.get(i) instanceof VariableTree field) {
                int last = i;
                while (last + 1 < members.size() && isOne(field, members.get(last + 1))) {
                    last++;
                }
                fields(members.subList(i, last + 1), inner);
                i = last;
            } else {
                scan(members.get(i), inner);
            }
        }
        inCode = before;
        return null;
    }

    /** Whether a member is declared by the statement that this field is: both have the one type, at the one place. */
    private boolean isOne(VariableTree field, Tree next) {
        return next instanceof VariableTree other && isConstant(field) == isConstant(other) && !isConstant(field)
                && start(field) == start(other);
    }

    private boolean isConstant(VariableTree field) {
        return field.getInitializer() instanceof NewClassTree made && start(made.getIdentifier()) < 0
                || field.getType() != null && start(field.getType()) < 0;
    }

    private void fields(List<Tree> statement, List<String> path) {
        int end = end(statement.get(statement.size() - 1));
        for (Tree tree : statement) {
            VariableTree field = (VariableTree) tree;
            String name = field.getName().toString();
            scan(field.getInitializer(), inCode ? path : note(path, name, start(statement.get(0)), end));
        }
    }

    @Override
    public Void visitMethod(MethodTree method, List<String> path) {
        if (start(method) < 0 || end(method) < 0) {
            return null;
        }
        boolean isConstructor = method.getName().contentEquals("<init>");
        String name = isConstructor ? "constructor" : method.getName().toString();
        List<String> inner = note(path, name, start(method), end(method));
        code(Arrays.asList(method.getBody(), method.getDefaultValue()), inner, true);
        return null;
    }

    @Override
    public Void visitBlock(BlockTree block, List<String> path) {
        code(block.getStatements(), path, true);
        return null;
    }

    @Override
    public Void visitLambdaExpression(LambdaExpressionTree lambda, List<String> path) {
        code(List.of(lambda.getBody()), path, true);
        return null;
    }
}
