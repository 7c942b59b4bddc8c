import type { Catalogue } from './catalogue-entry.js'

/** What evaluating the design and the design's rules report. */
export const designCatalogue: Catalogue = {
  TG2001: {
    title: 'The design threw an error',
    cause: 'The design is evaluated by importing its modules. One of them threw; the message is the one of its error.',
    fix: 'Correct the module. A design only describes: it should not read files, call services or depend on the environment.',
  },
  TG2002: {
    title: 'A design module has a syntax error',
    cause: 'The module is neither TypeScript nor JavaScript at the place shown.',
    fix: 'Correct the syntax there.',
  },
  TG2003: {
    title: 'A design module imports what does not exist',
    cause: 'A module named in an import cannot be found: the file is missing, or the package is not installed.',
    fix: 'Correct the path (it may end in .js or .ts), or install the package.',
  },
  TG2004: {
    title: 'The design exports nothing',
    cause: 'No module of the design exports a toolset or an agent, so there is nothing to generate.',
    fix: 'Export what the functions return:\n\n    export const orders = defineToolset("orders", { ... })',
  },
  TG2005: {
    title: 'A part of the design is not what its type says',
    cause:
      'A definition has a field of the wrong type. TypeScript refuses this in a design that it checks; plain JavaScript, a ' +
      'cast or a value that was built by hand lets it through.',
    fix: 'Make the value with `defineTool`, `defineToolset`, `defineAgent` and their like from @toolgen/dsl, without casts.',
  },
  TG2006: {
    title: 'A name is empty',
    cause: 'Toolsets, tools, agents and uses are identified by their names.',
    fix: 'Give it a name.',
  },
  TG2007: {
    title: 'A toolset has no tools',
    cause: 'A toolset without tools offers nothing to an agent.',
    fix: 'Add a tool, or remove the toolset.',
  },
  TG2010: {
    title: 'Two toolsets have the same name',
    cause: 'A toolset is identified by its name in the whole design: in tool ids, folders and lock.',
    fix: 'Rename one of them. To use one toolset with two clients, use it twice with `as`.',
  },
  TG2011: {
    title: 'Two agents have the same name',
    cause: 'An agent is identified by its name in the whole design.',
    fix: 'Rename one of them.',
  },
  TG2012: {
    title: 'An agent uses one name for two uses',
    cause: 'An agent tells its uses apart by their names: the name of the toolset, or the one given with `as`.',
    fix: 'Give one of them another name:\n\n    fromService(orders, archiveClient, { as: "archive" })',
  },
  TG2013: {
    title: 'An agent offers a toolset twice',
    cause: 'The same toolset stands twice in `exports`.',
    fix: 'Remove one of them.',
  },
  TG2014: {
    title: 'Two tools have the same id',
    cause: 'A tool id is `toolset.tool`. Where names contain dots, two pairs of names can give the same id.',
    fix: 'Rename one of the tools or toolsets, best without a dot.',
  },
  TG2020: {
    title: 'A wire name is not legal',
    cause: 'Models accept names of the letters A to Z in both cases, digits, `_` and `-`, of at most 64 characters.',
    fix: 'Choose another wire name, or leave it out: the default is made legal.',
  },
  TG2021: {
    title: 'Two tools of an agent have the same wire name',
    cause: 'A model calls a tool by its wire name, so each stands for one tool within an agent.',
    fix: 'Rename one of them where the agent uses it:\n\n    fromService(orders, client, { rename: { getOrder: "find_order" } })',
  },
  TG2022: {
    title: 'A use or an export names a tool that its toolset does not have',
    cause:
      '`only`, `rename` and `tools` of a use, and `tools` of an export, speak of tools by their names in the toolset.',
    fix: 'Correct the name.',
  },
  TG2023: {
    title: 'A use speaks of a tool that it leaves out',
    cause: '`rename` or `tools` names a tool that is not among those that `only` selects, so it has no effect.',
    fix: 'Add the tool to `only`, or remove the entry.',
  },
  TG2024: {
    title: 'A use selects no tools',
    cause: 'The list `only` is empty, so the agent would use a toolset without any of its tools.',
    fix: 'Name tools in `only`, leave it out to take all of them, or remove the use.',
  },
  TG2030: {
    title: 'A server-owned field is not declared',
    cause:
      'A server-owned field is a direct field of the payload, or of every variant when the payload is a union. The field is ' +
      'checked by its own schema when the runtime fills it.',
    fix:
      'Declare the field:\n\n    payload: z.object({ orderId: z.string(), sessionId: z.string() }),\n' +
      "    serverOwned: { sessionId: 'sessionId' },",
  },
  TG2031: {
    title: 'A server-owned field is filled from nowhere',
    cause: "A server-owned field is filled from a field of the call's meta.",
    fix: 'Take one of `runId`, `sessionId`, `turnId`, `toolCallId`, `parentToolCallId` or `labels.NAME`.',
  },
  TG2040: {
    title: 'A description is empty',
    cause: 'Models choose tools by their descriptions, and people read them in the generated code.',
    fix: 'Say in one sentence what it does and when to use it.',
  },
  TG2041: {
    title: 'A template names a field that does not exist',
    cause:
      '`callHint`, `confirmation.prompt` and the `template` of an exported tool are filled from the payload, `resultHint` ' +
      'from the result.',
    fix: 'Name a declared field; a dot goes deeper:\n\n    resultHint: "Order {{id}} of {{customer.name}}"',
  },
  TG2042: {
    title: 'A template has braces that do not pair',
    cause: 'A field is written between two opening and two closing braces, and nothing else uses them.',
    fix: 'Close each field:\n\n    callHint: "Looking up {{orderId}}"',
  },
  TG2050: {
    title: 'An example does not fit its schema',
    cause:
      'Examples are shown to models as correct calls. This one breaks the schema of the arguments: server-owned fields are ' +
      'not sent, and fields that are not declared are refused. Refinements in code are run as well.',
    fix: 'Correct the example, or the schema.',
  },
  TG2051: {
    title: 'A denied result does not fit its schema',
    cause: 'The denied result is answered when a person declines the call, as an ordinary result of the tool.',
    fix: 'Correct the value, or leave it out: the call then fails with the reason `denied`.',
  },
  TG2052: {
    title: 'A tool with several attempts is neither idempotent nor read-only',
    cause:
      '`defaultLayers.attempts` runs a tool again after a time-out or a failed connection, when the first attempt may have ' +
      'done its work. A second run does no harm only where the tool is declared `idempotent` or `readOnly`.',
    fix:
      'Declare what is true of the tool, or remove `attempts`:\n\n' +
      '    readOnly: true,\n    defaultLayers: { timeoutMs: 30_000, attempts: 2 },',
  },
  TG2060: {
    title: 'A service client is not exported',
    cause:
      'Generated code takes the type of the client from the module that exports it. This client is exported by none of ' +
      'the modules of the design.',
    fix:
      'Export it from a module that imports no schemas, so that users of the generated code need not check them:\n\n' +
      '    export const ordersClient = serviceClient<OrdersClient>()',
  },
  TG2070: {
    title: 'No agent exports a toolset that another agent uses',
    cause:
      '`fromAgent` names a toolset and no agent: the one that exports it serves it. None of the agents that the modules of ' +
      'the design export has the toolset in its `exports`.',
    fix: 'Add it to the agent that serves it:\n\n    defineAgent("research", { exports: [investigation], ... })',
  },
  TG2071: {
    title: 'Several agents export a toolset that another agent uses',
    cause:
      '`fromAgent` takes a toolset from the one agent that exports it. With two of them it is open which one is meant.',
    fix: 'Let one agent export the toolset, and define a toolset of another name for the other agent.',
  },
  TG2072: {
    title: 'An agent uses what it exports itself',
    cause: 'Each call would begin another run of the same agent below the run that asks for it, without an end.',
    fix:
      'Remove the use, or let another agent export the toolset. Two agents may each use what the other one exports; a run ' +
      'then refuses to call an agent that stands above it.',
  },
  TG2073: {
    title: 'An exported tool has a text and a template',
    cause:
      'Both say what the first message of the run is: `text` stands as it is, `template` is filled from the payload.',
    fix: 'Keep one of them:\n\n    tools: { investigate: { template: "Find out all about {{topic}}." } }',
  },
  TG2074: {
    title: 'Prose cannot be the result of an exported tool',
    cause:
      '`prose: true` takes the words with which a run ends as the result, and the result schema allows no free text.',
    fix: 'Remove `prose`: the model is then asked for the result as JSON. Or let the result be a text, alone or in a union.',
  },
}
