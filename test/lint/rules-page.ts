import { catalogue } from '../../packages/codegen/src/cli/catalogue.js'
import { ruleExamples, rules } from '../../packages/codegen/src/lint/lint-design.js'

type Rule = (typeof rules)[number]

const entries = new Map<string, (typeof catalogue)[`TG${number}`]>(Object.entries(catalogue))

const head = `# Lint

\`toolgen lint\` reports tools that are hard for models to use: missing descriptions, confusing names, large definitions, dangerous tools
without a confirmation, and schemas that a model provider does not support. [The command line](cli.md#toolgen-lint) lists its options.

\`\`\`sh
npx toolgen lint --reporter github
\`\`\`

The command exits with code 6 if there is an error, or if there are more warnings than \`--max-warnings\` or \`maxWarnings\` in the configuration
allows (default: 0). \`toolgen explain unplumbed-id\` prints the explanation of the rule \`unplumbed-id\`.

## Suppressing a rule

A rule can report a tool that has no problem. Then suppress the rule in the design, with a reason for reviewers:

\`\`\`ts
defineTool({
  description: 'Cancels a reservation. The tool \`restore\` undoes this within an hour.',
  lint: { 'unconfirmed-mutation': 'can be undone for an hour' },
  // ...
})
\`\`\`

| \`lint\` of | applies to |
|---|---|
| a tool | the tool |
| a toolset | all its tools |
| an agent | the agent. If every agent that uses a tool suppresses the rule, the rule also ignores this tool, for example an imported tool |

toolgen rejects an entry without a reason. \`toolgen lint\` warns of an entry with an unknown rule (TG8390), and of an entry that suppresses no
problem (TG8391).

The configuration sets the levels of rules for the whole project (\`off\`, \`warning\` or \`error\`), and the model providers to check for:

\`\`\`ts
export default defineConfig({
  design: 'design/*.ts',
  lint: { rules: { 'missing-example': 'off', 'unclear-unit': 'error' }, vendors: ['openai'], maxWarnings: 10 },
})
\`\`\`

## Model providers

The rules \`openai-strict\`, \`anthropic-form\`, \`gemini-form\` and \`mcp-form\` convert each tool to the [format](projections.md) of one model
provider or of an MCP server, with the runtime that is installed in the project. A diagnostic shows how the schema that is sent differs from
your schema. In a terminal, the sent schema is shortened. With \`--json\`, the property \`projected\` contains the complete sent schema.

By default, \`toolgen lint\` checks all four formats: \`openai\`, \`anthropic\`, \`gemini\` and \`mcp\`. Set \`lint.vendors\` or \`--vendor\` to the
formats that you use.

## Limits

- The rules check words and schemas, not services. They do not find a wrong description in good English.
- The rules only understand English names.
- \`slow-pattern\` tries some strings and does not find every slow pattern.
- \`toolgen lint\` checks an imported tool only if an agent uses the tool. Change the tool in the options of
  \`importedToolset\`, or suppress the rule in the agents that use the tool.

This page is generated from the rules. A test compares them and runs every example.`

/** Returns `docs/lint.md`: how to suppress rules, and every rule with its reason and two examples. */
export function rulesPage(): string {
  const rows = rules.map((rule) => `| [${rule.id}](#${rule.id}) | ${rule.code} | ${entryOf(rule).title} |`)
  const examples = 'If an example shows only a tool, the tool belongs to a toolset `orders`.'
  const table = ['## Rules', ['| rule | code | title |', '|---|---|---|', ...rows].join('\n'), examples]
  return `${[head, ...table, ...rules.map(section)].join('\n\n')}\n`
}

function section(rule: Rule): string {
  const { title, cause, fix } = entryOf(rule)
  const { bad, good } = ruleExamples(rule.id)
  return `### ${rule.id}\n\n**${title}** (${rule.code})\n\n${cause}\n\nWhat to do: ${fix}\n\nReported:\n\n${code(bad)}\n\nNot reported:\n\n${code(good)}`
}

function code(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\``
}

function entryOf({ code: of }: Rule): { readonly title: string; readonly cause: string; readonly fix: string } {
  const entry = entries.get(of)
  if (entry === undefined) throw new Error(`the catalogue has no ${of}`)
  return entry
}
