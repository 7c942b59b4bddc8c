import type { Catalogue } from './catalogue-entry.js'

/** What finding and reading the configuration reports. */
export const configCatalogue: Catalogue = {
  TG1001: {
    title: 'There is no configuration',
    cause:
      'toolgen reads its configuration from toolgen.config.ts (or .js, .mjs) in the current folder, or from the file that ' +
      '--config names. Folders above are not searched.',
    fix: 'Write one with:\n\n    toolgen init\n\nor name it, or the folder that has it:\n\n    toolgen generate --config path/to/toolgen.config.ts\n    toolgen generate --cwd ..',
  },
  TG1002: {
    title: 'The configuration cannot be evaluated',
    cause: 'The configuration is a module; importing it failed. The message is the one of the error.',
    fix: 'Correct the module. It needs nothing but a default export:\n\n    export default defineConfig({ design: "design/*.ts" })',
  },
  TG1003: {
    title: 'The configuration exports no object',
    cause: 'The default export of the configuration module is missing or is no object.',
    fix:
      'Export the configuration itself, not a function and not a promise:\n\n' +
      '    import { defineConfig } from "@toolgen/codegen"\n    export default defineConfig({ design: "design/*.ts" })',
  },
  TG1004: {
    title: 'The configuration has an unknown field',
    cause: 'A field that toolgen does not know would have no effect, so it is refused.',
    fix: 'Correct its name or remove it. With `defineConfig` the editor shows the fields.',
  },
  TG1005: {
    title: 'A field of the configuration has the wrong type',
    cause: 'The value is missing or is of another kind than the field takes.',
    fix: 'Give the field a value as `ToolgenConfig` describes it. With `defineConfig` the editor checks it.',
  },
  TG1006: {
    title: 'A design path matches no module',
    cause:
      'Paths and patterns of `design` are relative to the configuration file. `*` stands for part of a name and `**` for ' +
      'any folders; node_modules, folders that begin with a dot and the output folder are never searched, and only ' +
      'TypeScript and JavaScript modules count.',
    fix: 'Correct the path, or create the module:\n\n    design: ["design/*.ts", "features/**/tools.ts"]',
  },
  TG1007: {
    title: 'The output folder cannot be used',
    cause:
      'Files in the output folder belong to toolgen: it removes what it does not need any more. So the folder must be one ' +
      'of its own below the project, apart from the design and from node_modules.',
    fix: 'Choose another folder:\n\n    output: "src/gen"',
  },
  TG1008: {
    title: 'The TypeScript configuration is missing',
    cause: '`tsconfig` names a file that does not exist.',
    fix: 'Correct the path, which is relative to the configuration file, or leave it out to take the nearest tsconfig.json.',
  },
  TG1009: {
    title: 'The import map names a missing module',
    cause: 'A key of `importMap` is the path of a module of service clients; there is no such file.',
    fix: 'Correct the path, which is relative to the configuration file:\n\n    importMap: { "design/clients.ts": "@acme/design/clients" }',
  },
  TG1010: {
    title: 'The configuration never came to its end',
    cause:
      'The process ended, or nothing was left to do, while the configuration was still being evaluated: it waits for ' +
      'something that never comes, or calls process.exit.',
    fix: 'Keep the configuration to one object: no input, no output, no awaiting, no ending of the process.',
  },
  TG1011: {
    title: 'The configuration failed in the background',
    cause:
      'Something that the configuration had started (a timer, a promise that nobody awaits) threw an error on its own.',
    fix: 'Keep the configuration to one object: no timers, no input or output, no promises left alone.',
  },
  TG1012: {
    title: 'The TypeScript configuration cannot be read',
    cause:
      'Designs are evaluated, and the types of service clients read, under the nearest tsconfig.json or the one that ' +
      '`tsconfig` names. It, or one that it extends, is missing, is no JSON, extends itself, or has an option of a wrong type.',
    fix:
      'Correct the file at the place that is shown (a package that it extends may have to be installed), until\n\n' +
      '    npx tsc --showConfig\n\nprints it; or name another one:\n\n    tsconfig: "tsconfig.design.json"',
  },
  TG1013: {
    title: 'The configuration names a rule that lint does not have',
    cause: '`lint.rules` gives a level to a rule that `toolgen lint` does not know, so that it would have no effect.',
    fix: 'Correct the id, or remove the entry; the finding lists all rules.',
  },
  TG1014: {
    title: 'The TypeScript configuration resolves modules in an old way',
    cause:
      'Generated code imports `@toolgen/runtime/codegen/v1`, an entry that the package declares in `exports`. tsc finds such ' +
      'entries with `"moduleResolution"` of "node16", "nodenext" or "bundler" alone. Before TypeScript 6, "module": "commonjs" ' +
      'and "module": "esnext" meant another one. The code is generated, but would not compile.',
    fix:
      'Write in `compilerOptions` of tsconfig.json\n\n    "module": "NodeNext"\n\nor, where a bundler reads the code,\n\n' +
      '    "module": "ESNext",\n    "moduleResolution": "Bundler"',
  },
}
