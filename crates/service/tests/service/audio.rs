//! The routes of speech recognisers.

use majuscule_service::ServiceOptions;

use crate::client::Server;

#[test]
fn audio_is_refused_as_clients_of_openai_read_it() {
    let server = Server::new(ServiceOptions { body_limit: 4 << 20, ..ServiceOptions::default() });
    // The client has sent all of it before it reads the answer.
    let audio = vec![b'a'; 3 << 20];
    for path in ["/v1/audio/transcriptions", "/v1/audio/translations"] {
        let answer = server.post(path, "multipart/form-data; boundary=x", &audio);
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (415, Some("application/json")),
            "{answer:?}"
        );
        let error = &answer.json()["error"];
        assert!(error["message"].as_str().unwrap().contains("POST /v1/restore"), "{error}");
        assert_eq!(
            (&error["type"], &error["code"]),
            (&"invalid_request_error".into(), &"audio_not_supported".into())
        );
    }
}
