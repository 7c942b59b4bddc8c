import { commandCatalogue, importCatalogue, writeCatalogue } from './command-codes.js'
import { configCatalogue, designCatalogue, schemaCatalogue } from './design-codes.js'
import type { Catalogue } from './diagnostic.js'
import { lintCatalogue } from './lint-codes.js'
import { serviceCatalogue } from './service-codes.js'

/** Diagnostics of emitting code. */
const emitCatalogue: Catalogue = {
  TG9001: {
    title: 'Generated code does not parse',
    cause:
      'Every generated file is parsed before anything is written. One of them did not parse, so nothing was written. ' +
      'No design should be able to cause this: it is a defect of the generator.',
    fix:
      'Please report it together with the names and texts of the tool that the message points to. Until it is fixed, ' +
      'plainer names and descriptions for that tool avoid it.',
  },
}

/** Diagnostics of `toolgen serve`. */
const serveCatalogue: Catalogue = {
  TG7001: {
    title: 'The module to serve cannot be evaluated',
    cause:
      'The module, or something that it imports, has a syntax error, imports what is not there, or threw an error.',
    fix: 'Correct it at the place that is named. A function that the module exports is called, and may fail in the same way.',
  },
  TG7002: {
    title: 'The module to serve exports nothing to serve',
    cause: 'It has neither a default export nor an export `tools`, or what is exported there is undefined.',
    fix:
      'Export what is to be served, such as an agent of yours:\n\n' +
      '    import { Runtime } from "@toolgen/runtime"\n' +
      '    import { registerSupport } from "../gen/agents/support/index.js"\n\n' +
      '    export const tools = registerSupport(new Runtime(), { toolsets: { orders: { client } } })',
  },
  TG7003: {
    title: 'The module to serve exports something else',
    cause:
      'What it exports is neither a registration, a bound toolset or a bound agent, nor a list of these, nor an object with ' +
      'such a list as `toolsets`. Toolsets and agents of the design are none of these: they have nothing that runs them.',
    fix:
      'Export a registration, or what `registerToolset` or a generated `register...` function gives:\n\n' +
      '    export default {\n' +
      '      toolsets: [registerSupport(runtime, { toolsets: { orders: { client } } })],\n' +
      '      context: ({ mcpSession = "stdio" }) => ({ sessionId: mcpSession }),\n' +
      '    } satisfies ServedModule',
  },
  TG7004: {
    title: 'A registration of the module to serve is not complete',
    cause: 'The runtime refuses a registration: what it is given does not fit its toolset. Each fault is listed.',
    fix: 'Give it what it needs; the types of the generated registrations ask for the same.',
  },
  TG7005: {
    title: 'Two tools to serve have one name',
    cause: 'Clients call tools by their tool names, so one of the two could not be reached.',
    fix: 'Give one of them another tool name in the design, or rename it where an agent uses it, and serve the agent.',
  },
  TG7006: {
    title: 'The module to serve failed in the background',
    cause:
      'Something that the module had started (a timer, a promise that nobody awaits) threw an error that nobody caught, or ' +
      'its `close` did. What a tool throws is no such error: it fails its call alone.',
    fix: 'Catch the error where it begins.',
  },
  TG7007: {
    title: 'The module to serve ended the process',
    cause: 'It called process.exit, or awaits something that never comes while nothing else is left to do.',
    fix: 'Await only what comes, and leave the end to toolgen, which calls the `close` of what the module exports.',
  },
}

/** Diagnostics of `toolgen diff`: of the revisions that it compares, and of changed contracts. */
const diffCatalogue: Catalogue = {
  TG0030: {
    title: 'Git cannot be asked',
    cause:
      '`toolgen diff` compares with a revision of Git. Git is not installed, the project is in no working tree, or Git does ' +
      'not trust its owner.',
    fix: 'Compare with a copy of gen/toolgen.lock.json that you kept:\n\n    toolgen diff ../released/toolgen.lock.json',
  },
  TG0031: {
    title: 'There is no such revision',
    cause:
      'What `toolgen diff` was given is neither the path of a lock nor a revision that this clone has. In CI clones are often ' +
      'shallow and have one revision alone. A new repository has none before its first commit.',
    fix: 'Correct the name, or fetch the history first:\n\n    git fetch origin main\n    toolgen diff origin/main',
  },
  TG0032: {
    title: 'There is no lock to compare with',
    cause:
      'The path leads nowhere, or `toolgen.lock.json` was not committed at that revision, at least not in the present output ' +
      'folder.',
    fix: 'Commit what `toolgen generate` writes. Name another revision, or the path that the lock had then, from the root of the repository:\n\n    toolgen diff v1.0.0:src/gen/toolgen.lock.json',
  },
  TG0033: {
    title: 'The lock to compare with cannot be read',
    cause: 'It is no JSON, holds the marks of a merge, or lacks what `toolgen generate` writes of toolsets and agents.',
    fix: 'Compare with a revision before the lock was damaged, or generate it anew there.',
  },
  TG0034: {
    title: 'The lock to compare with was written by a later toolgen',
    cause: 'Its contract version is higher than this toolgen knows.',
    fix: 'Use that version:\n\n    npm install --save-dev @toolgen/codegen@latest',
  },
  TG0035: {
    title: 'A cassette cannot be read',
    cause:
      '--cassettes names no file, or a file that is no recording of `openCassette`: lines of JSON, of which the first says ' +
      '`"cassette":1`. A recording that broke off ends within a line, which is named: record it again, or delete the line.',
    fix: 'Quote the pattern, so that the shell leaves it alone:\n\n    toolgen diff main --cassettes "test/**/*.jsonl"',
  },
  TG0036: {
    title: 'Recorded calls cannot be decoded',
    cause:
      'Examples and cassettes are decoded by the codecs of `@toolgen/runtime` as the project has it, which cannot be loaded. ' +
      'They also judge the values that show what changed: without them no change of a schema is certain. It is an error ' +
      'where --cassettes asks for them.',
    fix: 'Install it in the project:\n\n    npm install @toolgen/runtime',
  },
  TG8101: {
    title: 'A contract changed so that something breaks',
    cause:
      'Compared with the lock, callers, models or recorded calls that worked will fail: a payload takes less, a result can be ' +
      'more, or a tool, a field or a name is gone. The name in brackets is the rule, of which `toolgen explain RULE` tells more.',
    fix:
      'Change the design so that what worked still does. Where the change is meant, agree on it with those who call the tools, ' +
      'and compare with a later revision from then on.',
  },
  TG8102: {
    title: 'A contract changed so that models read something else',
    cause:
      'Nothing fails: whoever called before still can. Descriptions, examples or what is allowed are not as they were, and ' +
      'models go by them.',
    fix: 'Look at the evaluations of prompts that offer the tool.',
  },
  TG8103: {
    title: 'A contract changed and nobody need notice',
    cause: 'Whoever called before still can, and models are sent the same.',
    fix: 'Nothing.',
  },
  TG8104: {
    title: 'A contract changed so that something may break',
    cause:
      'toolgen can neither prove that nothing breaks nor find a value that breaks. This happens with patterns, formats, ' +
      '`not`, `if` and some unions. The command fails as it does for a change that is certain; JSON has `certain: false`.',
    fix: 'Compare both schemas by hand. If nothing breaks, the finding is gone once the change is on the base branch.',
  },
}

/** Diagnostics of `toolgen tokens`. */
const tokensCatalogue: Catalogue = {
  TG8501: {
    title: 'A tool is larger than its budget',
    cause:
      'What a model is told of the tool has more tokens than `tokens.perTool` of the configuration, or --per-tool, allows. ' +
      'Every request of every agent that uses the tool carries it. The finding lists the dearest parts.',
    fix: 'Shorten descriptions, leave out fields that nobody sends, say repeated parts once as a definition; or raise the budget:\n\n    tokens: { perTool: 800 }',
  },
  TG8502: {
    title: 'The tools of an agent are larger than their budget',
    cause:
      'What a model is told of all tools of the agent has more tokens than `tokens.perAgent` of the configuration, or ' +
      '--budget, allows. Every request carries it.',
    fix: 'Leave tools out with `only`, give some to an agent of their own, shorten the dearest; or raise the budget:\n\n    tokens: { perAgent: 6_000 }',
  },
}

/** The long form of every diagnostic, by code. */
export const catalogue: Catalogue = {
  ...commandCatalogue,
  ...configCatalogue,
  ...designCatalogue,
  ...schemaCatalogue,
  ...serviceCatalogue,
  ...emitCatalogue,
  ...writeCatalogue,
  ...importCatalogue,
  ...serveCatalogue,
  ...diffCatalogue,
  ...lintCatalogue,
  ...tokensCatalogue,
}
