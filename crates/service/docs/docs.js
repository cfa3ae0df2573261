"use strict";

// Shows the document of the routes. Everything is set as text, never as HTML.

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((child) => child !== undefined && child !== ""));
  return made;
}

// Text with `code` in it.
function prose(text) {
  const parts = (text || "").split("`");
  return parts.map((part, at) => (at % 2 ? element("code", { textContent: part }) : part));
}

let api = {};

// The value that a reference stands for, with what stands beside the reference.
function resolved(value) {
  if (!value || !value.$ref) return value || {};
  const { $ref, ...beside } = value;
  const found = $ref.slice(2).split("/").reduce((at, key) => at[key], api);
  return { ...resolved(found), ...beside };
}

// The kind of a value in a few words.
function kindOf(schema) {
  const of = resolved(schema);
  const several = of.anyOf || of.oneOf;
  if (several && !of.type) return several.map(kindOf).filter((kind) => kind).join(" or ");
  const kinds = [of.type || "any value"].flat().filter((kind) => kind !== "null");
  const name = kinds.join(" or ").replace("array", "list");
  if (of.enum) return of.enum.filter((value) => value !== null).join(", ");
  if (kinds[0] === "array") {
    const items = kindOf(of.items);
    return items.includes(", ") || items === "any value" ? name : `${name} of ${items}`;
  }
  return of.format === "binary" ? "file" : name;
}

// The fields of a value, and those of the values in it.
function fieldsOf(schema, before = "") {
  const of = resolved(schema);
  if (of.items) return fieldsOf(of.items, before);
  if (of.anyOf) return of.anyOf.flatMap((one) => fieldsOf(one, before));
  return Object.entries(of.properties || {}).flatMap(([name, field]) => {
    const found = resolved(field);
    const inner = (found.anyOf || []).map(resolved).find((one) => one.description);
    const isNeeded = (of.required || []).includes(name);
    const place = before + name;
    const below = before.split(".").length < 3 ? fieldsOf(field, `${place}${found.items ? "[]" : ""}.`) : [];
    return [{ place, isNeeded, schema: field, text: found.description || (inner || {}).description }, ...below];
  });
}

function list(fields) {
  return element("dl", {}, ...fields.flatMap(({ place, isNeeded, schema, text }) => [
    element("dt", {}, place, isNeeded ? element("small", { textContent: " required" }) : ""),
    element("dd", {}, ...prose(text), text ? " " : "", element("small", { textContent: kindOf(schema) })),
  ]));
}

// A command that sends an example.
function command(method, path, type, value) {
  const address = location.origin + path;
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  if (type === "application/x-www-form-urlencoded") {
    const fields = Object.entries(value).map(([name, text]) => ` \\\n  --data-urlencode ${quoted(`${name}=${text}`)}`);
    return `curl ${address}${fields.join("")}`;
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `curl ${address} -H 'Content-Type: ${type}' \\\n  --data-binary ${quoted(text)}`;
}

function body(method, path, content) {
  // Types of files are one to a reader.
  const isPlain = ([, { schema }]) => !resolved(schema).properties;
  const plain = Object.entries(content).filter(isPlain).map(([type]) => type);
  const parts = Object.entries(content).filter((entry) => !isPlain(entry)).map(([type, { schema }]) => [
    element("h4", {}, "Body of ", element("code", { textContent: type })),
    resolved(schema).description ? element("p", {}, ...prose(resolved(schema).description)) : "",
    list(fieldsOf(schema)),
  ]);
  const others = plain.length ? [element("h4", { textContent: "Body that is a file" }), element("p", {}, ...prose(plain.map((type) => `\`${type}\``).join(", ")))] : [];
  const examples = Object.entries(content).flatMap(([type, { examples = {} }]) =>
    Object.values(examples).map(({ summary, value }) => [
      element("h4", { textContent: `Example: ${summary.toLowerCase()}` }),
      element("pre", { textContent: command(method, path, type, value), tabIndex: 0 }),
    ]));
  return [...parts.flat(), ...others, ...examples.flat()];
}

function answers(responses) {
  return Object.entries(responses).flatMap(([status, given]) => {
    const { description, content = {} } = resolved(given);
    const json = content["application/json"];
    const fields = json && status[0] === "2" ? fieldsOf(json.schema) : [];
    return [
      element("p", {}, element("code", { textContent: status }), " ", ...prose(description)),
      fields.length ? list(fields) : "",
    ];
  });
}

function operation(path, method, given) {
  const parameters = (given.parameters || []).map(resolved);
  const fields = parameters.map(({ name, required, schema, description }) =>
    ({ place: name, isNeeded: required, schema, text: description }));
  const content = given.requestBody ? given.requestBody.content : {};
  return element("article", { id: given.operationId },
    element("p", { className: "path" }, element("b", { textContent: method.toUpperCase() }), ` ${path}`),
    element("h3", { textContent: given.summary }),
    given.description ? element("p", {}, ...prose(given.description)) : "",
    ...body(method, path, content),
    ...(fields.length ? [element("h4", { textContent: "Parameters of the address" }), list(fields)] : []),
    element("details", {}, element("summary", { textContent: "Answers" }), ...answers(given.responses)));
}

function show(document_) {
  api = document_;
  const all = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, given]) => ({ path, method, given })));
  const routes = document.getElementById("routes");
  const operations = document.getElementById("operations");
  for (const { name, description } of api.tags) {
    const own = all.filter(({ given }) => given.tags.includes(name));
    routes.append(element("h2", { textContent: name }), element("ul", {}, ...own.map(({ path, method, given }) =>
      element("li", {}, element("a", { href: `#${given.operationId}`, textContent: `${method.toUpperCase()} ${path}` })))));
    operations.append(element("section", {}, element("h2", { textContent: name }), element("p", { textContent: description }),
      ...own.map(({ path, method, given }) => operation(path, method, given))));
  }
  document.getElementById("about").prepend(`${api.info.description} Version ${api.info.version}. `);
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

fetch("openapi.json").then((answer) => answer.json()).then(show);
