import type { Command } from 'commander'

/** Command lines that people start from, with what each does, by the words that lead to the command. */
const examples: Readonly<Record<string, readonly (readonly [line: string, does: string])[]>> = {
  toolgen: [
    ['toolgen init', 'set up a project with an example'],
    ['toolgen generate', 'write the generated code'],
    ['toolgen check', 'fail in CI where it was forgotten'],
  ],
  generate: [
    ['toolgen generate', 'write what changed'],
    ['toolgen generate --watch', 'write it again after each change'],
    ['toolgen generate -c tools/toolgen.config.ts', 'with another configuration'],
  ],
  check: [
    ['toolgen check', 'compare the files on disk with the design'],
    ['toolgen check --reporter github', 'annotate the changed files of a pull request'],
    ['toolgen check --live', 'ask the MCP servers as well'],
    ['toolgen check --live files -- npx -y server .', 'ask one server, started by this command'],
  ],
  diff: [
    ['toolgen diff', 'since the last commit'],
    ['toolgen diff origin/main --reporter github', 'annotate the breaking changes of a pull request'],
    ['toolgen diff ../released/toolgen.lock.json', 'since what a lock file recorded'],
    ['toolgen diff main --cassettes "test/**/*.jsonl"', 'decode recorded calls as well'],
  ],
  lint: [
    ['toolgen lint', 'everything that is found'],
    ['toolgen lint --vendor openai', 'for models of one vendor'],
    ['toolgen lint --rule unplumbed-id,unbounded-list', 'two rules alone'],
    ['toolgen lint --max-warnings 12 --reporter github', 'in CI, while the old ones are worked off'],
  ],
  tokens: [
    ['toolgen tokens', 'a table of tools, the dearest first'],
    ['toolgen tokens --budget 4000', 'fail where the tools of an agent have more'],
    ['toolgen tokens --as anthropic', 'as another vendor is sent them'],
  ],
  inspect: [
    ['toolgen inspect', 'a table of toolsets and agents'],
    ['toolgen inspect --json > design.json', 'all of it'],
  ],
  docs: [
    ['toolgen docs', 'Markdown on standard output'],
    ['toolgen docs --output docs/tools.md', 'Markdown in a file'],
    ['toolgen docs --output site/tools.html', 'one HTML page that loads nothing else'],
  ],
  serve: [
    ['toolgen serve src/serve.ts', 'over standard input and output'],
    ['toolgen serve src/serve.ts --port 8080', 'over HTTP, to this machine alone'],
  ],
  explain: [
    ['toolgen explain TG5001', 'what it means, why it happens, what to do'],
    ['toolgen explain unplumbed-id', 'a rule of toolgen lint, with examples'],
  ],
  init: [
    ['toolgen init', 'in this folder'],
    ['toolgen init --dir my-agent --toolset tickets --yes', 'elsewhere, without a question'],
  ],
  completions: [
    ['eval "$(toolgen completions bash)"', 'for this shell; in ~/.bashrc for all'],
    ['eval "$(toolgen completions zsh)"', 'in ~/.zshrc, after compinit'],
    ['toolgen completions fish > ~/.config/fish/completions/toolgen.fish', 'for all shells from now on'],
  ],
  import: [
    ['toolgen import mcp files -- npx -y server .', 'what an MCP server lists'],
    ['toolgen import functions weather --from tools.json', 'what models were shown so far'],
    ['toolgen import openapi pets --from openapi.yaml', 'what an HTTP API offers'],
  ],
  'import mcp': [
    ['toolgen import mcp files -- npx -y server .', 'ask a server that is started'],
    ['toolgen import mcp files --url https://example.com/mcp', 'ask a server that runs'],
    ['toolgen import mcp files --from tools.json', 'read what was captured'],
    ['toolgen import mcp files', 'ask again what was asked before'],
  ],
  'import functions': [
    ['toolgen import functions weather --from tools.json', 'write design/weather.functions.ts'],
    ['toolgen import functions weather', 'read the same file again'],
  ],
  'import openapi': [
    ['toolgen import openapi pets --from openapi.yaml', 'every operation of a document'],
    [
      'toolgen import openapi github --from https://example.com/api.json --tag issues,pulls',
      'two groups of one elsewhere',
    ],
    ["toolgen import openapi pets --path '/pets*'", 'other operations of the same document'],
  ],
}

/** Adds examples to the help of a command and of all below it. */
export function addExamples(command: Command, path: readonly string[] = []): void {
  const shown = examples[path.join(' ') || command.name()] ?? []
  const width = Math.max(...shown.map(([line]) => line.length))
  const lines = shown.map(([line, does]) => `\n  ${line.padEnd(width)}  ${does}`)
  if (lines.length > 0) command.addHelpText('after', `\nExamples:${lines.join('')}`)
  for (const below of command.commands) addExamples(below, [...path, below.name()])
}
