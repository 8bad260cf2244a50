# Declarations of Ruby files as Ruby's own parser sees them.
# ruby read.rb FILE…  A line a piece: file, name, first byte, byte behind the last.
require 'ripper'

class Reader
  Tree = RubyVM::AbstractSyntaxTree

  def initialize(file)
    @file = file
    @source = File.binread(file)
    @starts = [0]
    @source.each_line { |line| @starts << @starts.last + line.bytesize }
    @heredocs = heredocs
  end

  def read
    walk(Tree.parse(@source.dup.force_encoding('UTF-8')), [], false, nil)
  rescue SyntaxError
    puts "#{@file}\t!"
  end

  private

  def at(line, column) = @starts[line - 1] + column

  # Where each heredoc begins, and where the line with its word ends.
  def heredocs
    open = []
    Ripper.lex(@source.dup.force_encoding('UTF-8')).filter_map do |(line, column), kind, token|
      open << at(line, column) if kind == :on_heredoc_beg
      [open.shift, at(line, column) + token.chomp.bytesize] if kind == :on_heredoc_end
    end
  end

  def note(path, name, cover)
    from = at(cover.first_lineno, cover.first_column)
    to = at(cover.last_lineno, cover.last_column)
    # the tree gives the place of a heredoc, not of its text
    to = @heredocs.filter_map { |start, last| last if start.between?(from, to - 1) }.push(to).max
    puts [@file, [*path, name].join('.'), from, to].join("\t")
    [*path, name]
  end

  def each(node, path, in_code) = node.children.each { |child| walk(child, path, in_code, nil) }

  # `cover`: the statement that is said of the declaration in it, as in `private def a`
  def walk(node, path, in_code, cover)
    return node.each { |child| walk(child, path, in_code, nil) } if node.is_a?(Array)
    return unless node.is_a?(Tree::Node)

    case node.type
    when :CLASS, :MODULE then each(node, note(path, scoped(node.children.first), cover || node), false)
    when :DEFN then each(node, note(path, node.children.first, cover || node), true)
    when :DEFS
      walk(node.children[0], path, in_code, nil)
      walk(node.children[2], note(path, node.children[1], cover || node), true, nil)
    when :CDECL, :OP_CDECL, :OP_ASGN_OR, :OP_ASGN_AND, :MASGN then constants(node, path, in_code, cover)
    when :FCALL, :CALL, :QCALL, :VCALL then call(node, path, in_code, cover)
    when :LAMBDA then each(node, path, true)
    else each(node, path, in_code)
    end
  end

  # What is said of a declaration, and nothing else, belongs to it.
  def call(node, path, in_code, cover)
    node.children.each do |child|
      arguments = child.is_a?(Tree::Node) && child.type == :LIST ? child.children : [child]
      arguments.each { |argument| walk(argument, path, in_code, cover || node) }
    end
  end

  def constants(node, path, in_code, cover)
    names = in_code ? [] : targets(node).uniq
    names.each { |name| note(path, name, cover || node) }
    inner = names.size == 1 ? [*path, names.first] : path
    node.children.each do |child|
      is_target = child.is_a?(Tree::Node) && child.type == :CDECL && %i[OP_ASGN_OR OP_ASGN_AND].include?(node.type)
      is_target ? each(child, inner, in_code) : walk(child, inner, in_code, nil) unless node.type == :MASGN && child != node.children.first
    end
  end

  def targets(node)
    case node.type
    when :CDECL
      first = node.children.first
      [first.is_a?(Symbol) ? first.to_s : scoped(first)]
    when :OP_CDECL then [scoped(node.children.first)]
    when :OP_ASGN_OR, :OP_ASGN_AND then node.children.grep(Tree::Node).select { |child| child.type == :CDECL }.flat_map { |child| targets(child) }
    when :MASGN then node.children.drop(1).flat_map { |child| nested(child) }
    else []
    end
  end

  def nested(node)
    return [] unless node.is_a?(Tree::Node)

    node.type == :CDECL || node.type == :MASGN ? targets(node) : node.type == :LIST ? node.children.flat_map { |child| nested(child) } : []
  end

  def scoped(node)
    case node.type
    when :COLON2 then [node.children.first && scoped(node.children.first), node.children.last].compact.join('.')
    when :COLON3 then node.children.first.to_s
    when :CONST then node.children.first.to_s
    else @source[at(node.first_lineno, node.first_column)...at(node.last_lineno, node.last_column)]
    end
  end
end

ARGV.each { |file| Reader.new(file).read }
