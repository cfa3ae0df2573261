module majuscule-example

go 1.19
